// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/TableSource.h"

#include "runtime/data/TypeCheck.h"

#include <cstring>

namespace graphc::runtime {

namespace {

Status checkSpec(const DatasetSpec &spec) {
  std::string place = "dataset '" + spec.name + "'";
  if (spec.fields.empty())
    return invalidArgument(place + " declares no fields");
  if (spec.batch < 1 || spec.repeat < 0 || spec.shuffleBuffer < 0 ||
      spec.prefetch < 0)
    return invalidArgument(place + " needs a batch of at least 1, and no "
                                   "negative shuffle buffer, repeat or "
                                   "prefetch");
  for (const DatasetSpec::Field &field : spec.fields)
    if (field.type.dtype == DType::String || !checkedNumBytes(field.type))
      return invalidArgument(place + " declares field '" + field.name +
                             "' as " + field.type.toString() +
                             ", which no file holds; declare numbers or bools");
  return Status::ok();
}

} // namespace

TableSource::TableSource(const DatasetSpec &spec,
                         std::unique_ptr<ExampleRows> opened, uint64_t runSeed)
    : table(std::move(opened)), batch(spec.batch), passes(spec.repeat),
      name(spec.name),
      order(table->rows(), spec.shuffleBuffer, spec.seed, runSeed),
      drawn(static_cast<size_t>(spec.batch)) {}

StatusOr<std::unique_ptr<TableSource>>
TableSource::openTable(const DatasetSpec &spec, std::string_view files,
                       uint64_t runSeed) {
  GRAPHC_TRY(checkSpec(spec));
  GRAPHC_ASSIGN_OR_RETURN(DatasetFiles parsed, parseDatasetFiles(files));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ExampleRows> table,
                          openRows(spec, parsed));
  std::unique_ptr<TableSource> source(
      new TableSource(spec, std::move(table), runSeed));
  GRAPHC_TRY(source->passOver(spec.skip));
  return source;
}

/// Whole passes cost nothing, since a pass's order is a function of its number.
Status TableSource::passOver(uint64_t batches) {
  if (batches == 0)
    return Status::ok();
  auto perPass = static_cast<uint64_t>(batchesPerEpoch());
  uint64_t before = perPass == 0 ? 0 : (batches - 1) / perPass;
  if (perPass == 0 || (passes > 0 && before >= static_cast<uint64_t>(passes)) ||
      before > INT64_MAX)
    return outOfRange("dataset '" + name + "' has fewer batches than the " +
                      std::to_string(batches) + " that are to be passed over");
  pass = static_cast<int64_t>(before);
  left = static_cast<int64_t>(perPass * (before + 1) - batches);
  if (left == 0)
    return Status::ok();
  order.startPass(before);
  uint64_t rows = (batches - perPass * before) * static_cast<uint64_t>(batch);
  for (uint64_t i = 0; i < rows; ++i)
    order.next();
  return Status::ok();
}

StatusOr<std::unique_ptr<DataSource>> TableSource::open(const DatasetSpec &spec,
                                                        std::string_view files,
                                                        uint64_t runSeed) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TableSource> table,
                          openTable(spec, files, runSeed));
  return std::unique_ptr<DataSource>(std::move(table));
}

Status TableSource::atEnd() const {
  return outOfRange("dataset '" + name +
                    "' has no more batches: " + std::to_string(passes) + " x " +
                    std::to_string(batchesPerEpoch()) +
                    " were read; run fewer steps or declare more repeats");
}

Status TableSource::ready() {
  bool isAtEnd = left == 0 && passes != 0 && pass + 1 >= passes;
  return isAtEnd ? atEnd() : Status::ok();
}

Status TableSource::draw(std::span<int64_t> rows) {
  GRAPHC_TRY(ready());
  if (left == 0) {
    order.startPass(static_cast<uint64_t>(++pass));
    left = batchesPerEpoch();
  }
  --left;
  for (int64_t i = 0; i < batch; ++i)
    rows[static_cast<size_t>(i)] = order.next();
  return Status::ok();
}

Status TableSource::next(std::span<std::byte *const> fields) {
  GRAPHC_TRY(failure);
  GRAPHC_TRY(draw(drawn));
  return failure = gather(drawn, fields);
}

} // namespace graphc::runtime
