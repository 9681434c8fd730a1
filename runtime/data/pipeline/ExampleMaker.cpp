// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/pipeline/ExampleMaker.h"

#include "runtime/data/pipeline/CachedRows.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {

namespace {

constexpr uint64_t kOfExamples = 0x6578616d; ///< apart from the order's key

/// An element or two per nanosecond.
int64_t nanosOf(const ExampleTransform &transform) {
  return transform.source().numElements();
}

Status checkMask(const DatasetSpec &spec) {
  if (spec.mask < 0)
    return Status::ok();
  auto index = static_cast<size_t>(spec.mask);
  if (index >= spec.fields.size() || spec.fields.size() < 2 ||
      !spec.fields[index].type.shape.empty() ||
      (spec.fields[index].type.dtype != DType::Float32 &&
       spec.fields[index].type.dtype != DType::Bool))
    return invalidArgument("dataset '" + spec.name +
                           "' has a mask that is no scalar of f32 or bool "
                           "beside other fields");
  return Status::ok();
}

void writeMask(std::byte *to, DType type, size_t valid, size_t all) {
  for (size_t i = 0; i < all; ++i) {
    float one = i < valid ? 1.0f : 0.0f;
    if (type == DType::Bool)
      to[i] = static_cast<std::byte>(i < valid);
    else
      std::memcpy(to + i * sizeof(one), &one, sizeof(one));
  }
}

} // namespace

/// Goes back from the fields to what files hold, which `spec` has then.
Status ExampleMaker::addTransforms(DatasetSpec &spec) {
  fields.resize(spec.fields.size());
  for (size_t i = spec.transforms.size(); i-- > 0;) {
    const DatasetSpec::Transform &asked = spec.transforms[i];
    if (asked.field >= fields.size() ||
        static_cast<int64_t>(asked.field) == spec.mask)
      return invalidArgument("dataset '" + spec.name + "' has '" + asked.name +
                             "' of a field that no file has");
    DatasetSpec::Field &declared = spec.fields[asked.field];
    StatusOr<std::unique_ptr<ExampleTransform>> made =
        makeTransform(asked.name, asked.numbers, declared.type);
    if (!made.isOk())
      return made.status().annotate("dataset '" + spec.name + "', field '" +
                                    declared.name + "'");
    Field &field = fields[asked.field];
    field.largest = std::max({field.largest, declared.type.numBytes(),
                              (*made)->source().numBytes()});
    declared.type = (*made)->source();
    nanos += nanosOf(**made);
    field.transforms.emplace(field.transforms.begin(), i, std::move(*made));
  }
  hasTransforms = !spec.transforms.empty();
  return Status::ok();
}

StatusOr<std::unique_ptr<ExampleMaker>>
ExampleMaker::open(const DatasetSpec &spec, std::string_view files,
                   uint64_t runSeed) {
  GRAPHC_TRY(checkMask(spec));
  std::unique_ptr<ExampleMaker> maker(new ExampleMaker());
  maker->key = mixBits(keyOfSeeds(spec.seed, runSeed) ^ kOfExamples);
  for (const DatasetSpec::Field &field : spec.fields)
    maker->bytes.push_back(field.type.numBytes());
  DatasetSpec held = spec; // by the files
  GRAPHC_TRY(maker->addTransforms(held));
  if (spec.mask >= 0) {
    maker->mask = static_cast<size_t>(spec.mask);
    maker->maskType = spec.fields[*maker->mask].type.dtype;
    held.fields.erase(held.fields.begin() + spec.mask);
    held.batch = 1; // any example is enough for a batch
  }
  GRAPHC_ASSIGN_OR_RETURN(DatasetFiles parsed, parseDatasetFiles(files));
  GRAPHC_ASSIGN_OR_RETURN(maker->source, openRows(held, parsed));
  maker->nanos += maker->source->rowNanos();
  if (spec.cacheMib > 0 && maker->source->rowNanos() > 0) {
    std::vector<size_t> rowBytes;
    for (const DatasetSpec::Field &field : held.fields)
      rowBytes.push_back(field.type.numBytes());
    uint64_t mib = std::min<int64_t>(spec.cacheMib, int64_t(1) << 40);
    GRAPHC_ASSIGN_OR_RETURN(maker->source,
                            CachedRows::wrap(std::move(maker->source),
                                             std::move(rowBytes), mib << 20));
  }
  return maker;
}

void ExampleMaker::change(const Field &field, uint64_t pass, int64_t row,
                          std::byte *buffers, std::byte *out) const {
  std::byte *from = buffers;
  std::byte *spare[] = {buffers + field.largest, buffers + 2 * field.largest};
  for (size_t i = 0; i < field.transforms.size(); ++i) {
    const auto &[number, transform] = field.transforms[i];
    CounterRandom random(mixBits(
        mixBits(mixBits(key ^ mixBits(pass)) ^ static_cast<uint64_t>(row)) +
        number));
    std::byte *to = i + 1 == field.transforms.size() ? out : spare[i % 2];
    transform->apply(from, to, random);
    from = to;
  }
}

/// One row; `places` are those of the fields, the mask among them.
Status ExampleMaker::readRow(uint64_t pass, int64_t row,
                             std::span<std::byte *const> places) const {
  static thread_local std::vector<std::byte> buffer;
  static thread_local std::vector<std::byte *> read;
  size_t total = 0;
  for (const Field &field : fields)
    total += 3 * field.largest;
  if (buffer.size() < total)
    buffer.resize(total);
  read.clear();
  size_t at = 0;
  for (size_t f = 0; f < fields.size(); ++f) {
    if (f != mask)
      read.push_back(fields[f].transforms.empty() ? places[f] : &buffer[at]);
    at += 3 * fields[f].largest;
  }
  GRAPHC_TRY(source->gather(std::span(&row, 1), read));
  at = 0;
  for (size_t f = 0; f < fields.size(); ++f) {
    if (!fields[f].transforms.empty())
      change(fields[f], pass, row, &buffer[at], places[f]);
    at += 3 * fields[f].largest;
  }
  return Status::ok();
}

Status ExampleMaker::make(uint64_t pass, std::span<const int64_t> rows,
                          std::span<std::byte *const> places) const {
  if (!mask && !hasTransforms)
    return source->gather(rows, places);
  size_t valid = static_cast<size_t>(std::find(rows.begin(), rows.end(), -1) -
                                     rows.begin());
  static thread_local std::vector<std::byte *> to;
  to.assign(places.begin(), places.end());
  if (!hasTransforms) {
    to.erase(to.begin() + static_cast<ptrdiff_t>(*mask));
    GRAPHC_TRY(source->gather(rows.first(valid), to));
  }
  for (size_t i = 0; hasTransforms && i < valid; ++i) {
    GRAPHC_TRY(readRow(pass, rows[i], to));
    for (size_t f = 0; f < to.size(); ++f)
      to[f] += bytes[f];
  }
  for (size_t f = 0; f < places.size(); ++f)
    if (f == mask)
      writeMask(places[f], maskType, valid, rows.size());
    else if (bytes[f] > 0 && valid < rows.size())
      std::memset(places[f] + valid * bytes[f], 0,
                  (rows.size() - valid) * bytes[f]);
  return Status::ok();
}

} // namespace graphc::runtime
