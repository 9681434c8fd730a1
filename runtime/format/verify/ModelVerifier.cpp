// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a file from the outside in: header, digest, FlatBuffer, then each
// list of the index; graphs are checked in GraphVerifier.cpp.
#include "runtime/format/verify/ModelVerifier.h"

#include "runtime/format/ExecutableFormat.h"
#include "runtime/format/FileHeader.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/format/verify/BlobVerifier.h"
#include "runtime/format/verify/DatasetCheck.h"
#include "runtime/format/verify/GraphVerifier.h"
#include "runtime/format/verify/VerifyTexts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace graphc::runtime {

namespace {

constexpr uint64_t kMaxScratch = uint64_t(1) << 32;

Status damaged(std::string cause) {
  return dataLoss(std::move(cause) +
                  "; the file is damaged: recompile the model with this "
                  "graphc");
}

Status checkVersion(const format::FileHeader &header) {
  if (header.formatMajor == format::kFormatMajor &&
      header.formatMinor <= format::kFormatMinor)
    return Status::ok();
  auto version = [](uint32_t major, uint32_t minor) {
    return textOf(major) + "." + textOf(minor);
  };
  return failedPrecondition(
      "it has format version " +
      version(header.formatMajor, header.formatMinor) +
      " but this program reads " +
      version(format::kFormatMajor, format::kFormatMinor) +
      "; recompile the model with this graphc");
}

StatusOr<format::FileHeader> checkHeader(std::span<const std::byte> file) {
  if (file.empty())
    return invalidArgument("it is empty; this is not a model.bin");
  size_t shown = std::min(file.size(), sizeof(format::kMagic));
  if (std::memcmp(file.data(), format::kMagic, shown) != 0)
    return invalidArgument("it does not start with the mark of a compiled "
                           "model; this is not a model.bin");
  format::FileHeader header;
  if (file.size() < sizeof(header))
    return damaged("it ends within its header, after " + textOf(file.size()) +
                   " bytes");
  std::memcpy(&header, file.data(), sizeof(header));
  GRAPHC_TRY(checkVersion(header));
  if (header.fileSize != file.size())
    return damaged("it has " + textOf(file.size()) +
                   " bytes but its header says " + textOf(header.fileSize));
  if (header.indexOffset != sizeof(header) ||
      header.indexSize % format::kAlignment != 0 ||
      header.indexSize > file.size() - sizeof(header))
    return damaged("its header is wrong");
  auto digest = format::digestOf(file.subspan(sizeof(header)));
  if (digest[0] != header.digest[0] || digest[1] != header.digest[1])
    return damaged("its bytes do not have the digest that its header says");
  if (header.headerDigest != format::headerDigestOf(header))
    return damaged("its header is wrong");
  return header;
}

Status checkIndex(std::span<const std::byte> index) {
  if (index.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return dataLoss("its index is larger than 2 GiB");
  if (!isValidBuffer(index, [](flatbuffers::Verifier &verifier) {
        return format::VerifyModelBuffer(verifier);
      }))
    return dataLoss("its index is no valid FlatBuffer");
  return Status::ok();
}

template <typename T>
using Tables = flatbuffers::Vector<flatbuffers::Offset<T>>;

/// Runs `check` on each of a list of named things and names the one that
/// failed.
template <typename T, typename Check>
Status checkEach(const char *kind, const Tables<T> &list, Check check) {
  NameSet names;
  for (uint32_t i = 0; i < list.size(); ++i) {
    Status status = names.add(list[i]->name());
    if (status.isOk())
      status = check(*list[i]);
    if (!status.isOk())
      return status.annotate(std::string(kind) + " " +
                             quote(viewOf(list[i]->name())));
  }
  return Status::ok();
}

/// Bytes of a type that holds numbers.
StatusOr<uint64_t> numericBytes(const format::TensorType &type) {
  if (type.dtype() == format::DType::String)
    return dataLoss("it cannot have the type string");
  return checkedBytes(type);
}

Status checkVariable(const format::Model &model,
                     const format::Variable &variable) {
  GRAPHC_TRY(numericBytes(*variable.type()).status());
  if (variable.device() != UINT32_MAX &&
      variable.device() >= model.devices()->size())
    return dataLoss("it is on device " + textOf(variable.device()) +
                    ", which does not exist");
  if (variable.mirror_of() == UINT32_MAX)
    return Status::ok();
  if (variable.mirror_of() >= model.variables()->size())
    return dataLoss("it is a mirror of variable " +
                    textOf(variable.mirror_of()) + ", which does not exist");
  const format::Variable &original =
      *model.variables()->Get(variable.mirror_of());
  if (original.mirror_of() != UINT32_MAX)
    return dataLoss("it is a mirror of variable " +
                    quote(viewOf(original.name())) +
                    ", which is a mirror itself");
  if (!sameType(*variable.type(), *original.type()))
    return dataLoss("it is a mirror of variable " +
                    quote(viewOf(original.name())) + ", whose type is " +
                    toTensorType(*original.type()).toString());
  if (variable.device() == original.device())
    return dataLoss("it is a mirror of variable " +
                    quote(viewOf(original.name())) + " on the same device");
  return Status::ok();
}

/// The rows of a variable that is the next part of the whole of `before`.
Status checkNextPart(const format::Variable &part,
                     const format::Variable &before) {
  TensorType type = toTensorType(*part.type());
  TensorType first = toTensorType(*before.type());
  uint64_t row = before.part_row() + static_cast<uint64_t>(first.shape[0]);
  if (part.part_row() != row)
    return dataLoss("it begins with row " + textOf(part.part_row()) + " of " +
                    quote(viewOf(part.part_of())) + " in place of " +
                    textOf(row));
  constexpr uint64_t kMaxRows = std::numeric_limits<int32_t>::max();
  if (row + static_cast<uint64_t>(type.shape[0]) > kMaxRows)
    return dataLoss("rows up to " + textOf(row) + " of " +
                    quote(viewOf(part.part_of())) + " leave it no room below " +
                    textOf(kMaxRows));
  TensorType rest = type;
  rest.shape[0] = first.shape[0];
  if (rest != first)
    return dataLoss("it is " + type.toString() + ", and the part before it " +
                    first.toString());
  return Status::ok();
}

/// Parts follow each other and give one tensor, whose name nothing else has.
Status checkParts(const format::Model &model) {
  NameSet names;
  for (const format::Variable *variable : *model.variables())
    GRAPHC_TRY(names.add(variable->name()));
  const format::Variable *before = nullptr;
  for (const format::Variable *variable : *model.variables()) {
    std::string_view whole = viewOf(variable->part_of());
    const format::Variable *last =
        before && whole == viewOf(before->part_of()) ? before : nullptr;
    before = whole.empty() ? nullptr : variable;
    if (whole.empty())
      continue;
    Status status = Status::ok();
    if (!variable->type()->shape() || variable->type()->shape()->size() == 0 ||
        variable->mirror_of() != UINT32_MAX)
      status = dataLoss("a scalar or a mirror is no part");
    else if (last)
      status = checkNextPart(*variable, *last);
    else if (variable->part_row() != 0)
      status = dataLoss("it follows no part of " + quote(whole) +
                        ", and is not the first");
    else
      status = names.add(variable->part_of());
    if (!status.isOk())
      return status.annotate("variable " + quote(viewOf(variable->name())));
  }
  return Status::ok();
}

/// By variable: how many there are with its mirrors. Mirrors count for their
/// original.
std::vector<uint32_t> countMirrors(const format::Model &model) {
  std::vector<uint32_t> counts(model.variables()->size(), 1);
  for (const format::Variable *variable : *model.variables())
    if (variable->mirror_of() != UINT32_MAX)
      ++counts[variable->mirror_of()];
  return counts;
}

/// A graph that writes a variable writes all of its mirrors, and the reverse.
Status checkMirrors(const format::Model &model, const format::Graph &graph,
                    const std::vector<uint32_t> &mirrors) {
  std::map<uint32_t, std::set<uint32_t>> written; // by original
  for (const format::Program *program : *graph.programs())
    for (const format::Instruction *instruction : *program->instructions())
      forEachWrite(*instruction, [&](uint32_t index) {
        const format::Slot &slot = *program->slots()->Get(index);
        if (slot.kind() != format::SlotKind::Variable)
          return;
        uint32_t of = model.variables()->Get(slot.index())->mirror_of();
        written[of == UINT32_MAX ? slot.index() : of].insert(slot.index());
      });
  for (const auto &[original, copies] : written)
    if (copies.size() != mirrors[original])
      return dataLoss("it writes " + textOf(copies.size()) + " of the " +
                      textOf(mirrors[original]) + " copies of variable " +
                      quote(viewOf(model.variables()->Get(original)->name())) +
                      "; they must stay equal");
  return Status::ok();
}

// The loader holds `batch` examples at a time, `prefetch` times, and
// `shuffle_buffer` to draw from; each product stays below the limit.
Status checkCounts(const format::Dataset &dataset, uint64_t exampleBytes) {
  if (dataset.batch() < 1)
    return dataLoss("its batch is " + std::to_string(dataset.batch()) +
                    "; it must be at least 1");
  if (dataset.shuffle_buffer() < 0 || dataset.repeat() < 0 ||
      dataset.prefetch() < 0)
    return dataLoss("its shuffle buffer, repeat or prefetch is negative");
  uint64_t limit = kMaxBytes / std::max<uint64_t>(exampleBytes, 1);
  auto batch = static_cast<uint64_t>(dataset.batch());
  if (batch > limit)
    return dataLoss("its batch has more than " + textOf(kMaxBytes) + " bytes");
  if (static_cast<uint64_t>(dataset.shuffle_buffer()) > limit ||
      static_cast<uint64_t>(dataset.prefetch()) > limit / batch)
    return dataLoss("its shuffle buffer or prefetch has more than " +
                    textOf(kMaxBytes) + " bytes");
  return Status::ok();
}

Status checkDataset(const format::Dataset &dataset) {
  if (dataset.fields()->size() == 0)
    return dataLoss("it has no field");
  uint64_t exampleBytes = 0;
  GRAPHC_TRY(checkEach("field", *dataset.fields(),
                       [&](const format::DatasetField &field) -> Status {
                         GRAPHC_ASSIGN_OR_RETURN(uint64_t bytes,
                                                 numericBytes(*field.type()));
                         // Two terms below 2^40 do not overflow, and the sum
                         // is bounded again at once.
                         exampleBytes += bytes;
                         if (exampleBytes > kMaxBytes)
                           return dataLoss("one example has more than " +
                                           textOf(kMaxBytes) + " bytes");
                         return Status::ok();
                       }));
  GRAPHC_TRY(checkCounts(dataset, exampleBytes));
  return checkReading(dataset);
}

Status checkKernel(const format::Kernel &kernel) {
  if (kernel.units() < 1)
    return dataLoss("it has " + std::to_string(kernel.units()) +
                    " units; it must have at least 1");
  if (kernel.scratch_bytes() > kMaxScratch)
    return dataLoss("it wants " + textOf(kernel.scratch_bytes()) +
                    " bytes of scratch; the limit is " + textOf(kMaxScratch));
  // Written so that a NaN fails, too.
  if (!(kernel.flops() >= 0 && kernel.bytes() >= 0) ||
      std::isinf(kernel.flops()) || std::isinf(kernel.bytes()))
    return dataLoss("its estimate of work is no finite positive number");
  return Status::ok();
}

Status checkExecutable(std::span<const std::byte> file,
                       const format::Executable &executable,
                       const format::Model &model, BlobVerifier &blobs,
                       std::vector<VerifiedExecutable> &verified) {
  const ExecutableFormat *format = findFormat(viewOf(executable.target()));
  if (!format)
    return dataLoss("this target is not known to this version");
  GRAPHC_TRY(blobs.check(executable.code()));
  const format::Blob &blob = *executable.code();
  ExecutableCode code{file.subspan(blob.offset(), blob.size()), blob.offset()};
  verified.push_back({format, code});
  return format->verify(code, model);
}

/// The host stands in for all devices, so it has an executable.
StatusOr<std::vector<VerifiedExecutable>>
checkExecutables(std::span<const std::byte> file, const format::Model &model,
                 BlobVerifier &blobs) {
  std::vector<VerifiedExecutable> verified;
  NameSet targets;
  for (const format::Executable *executable : *model.executables()) {
    Status status = targets.add(executable->target());
    if (status.isOk())
      status = checkExecutable(file, *executable, model, blobs, verified);
    if (!status.isOk())
      return status.annotate("executable " +
                             quote(viewOf(executable->target())));
  }
  std::string_view host = executableFormats().front()->target();
  bool isThere = std::ranges::any_of(verified, [&](const auto &each) {
    return each.format->target() == host;
  });
  if (model.kernels()->size() != 0 && !isThere)
    return dataLoss("it has kernels but no machine code");
  return verified;
}

/// A part names the digest of its plan, and its task; the member of a family
/// the digest alone.
Status checkPartNames(const format::Model &model) {
  if (!model.part_of() && !model.part_task())
    return Status::ok();
  std::string_view digest = viewOf(model.part_of());
  std::string_view task = viewOf(model.part_task());
  if (digest.size() != 32 ||
      digest.find_first_not_of("0123456789abcdef") != digest.npos)
    return dataLoss("it is a part of plan " + quote(digest) +
                    ", which is no digest");
  if (model.part_task() && (task.empty() || taskOfDevice(task) != task))
    return dataLoss("it is the part of " + quote(task) + ", which is no task");
  return Status::ok();
}

Status checkModel(std::span<const std::byte> file, uint64_t indexEnd,
                  const format::Model &model) {
  BlobVerifier blobs(file, indexEnd);
  if (model.source())
    GRAPHC_TRY(blobs.check(model.source()).annotate("source text"));
  if (model.report())
    GRAPHC_TRY(blobs.check(model.report()).annotate("report"));
  GRAPHC_TRY(checkEach("device", *model.devices(), checkDevice));
  GRAPHC_TRY(checkEach("variable", *model.variables(),
                       [&](const format::Variable &variable) {
                         return checkVariable(model, variable);
                       }));
  GRAPHC_TRY(checkParts(model));
  GRAPHC_TRY(checkEach("dataset", *model.datasets(), checkDataset));
  GRAPHC_TRY(checkEach("kernel", *model.kernels(), checkKernel));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<VerifiedExecutable> executables,
                          checkExecutables(file, model, blobs));
  GRAPHC_TRY(checkPartNames(model));
  GraphVerifier graphs{model, blobs, executables, walkBudget(indexEnd),
                       viewOf(model.part_task())};
  std::vector<uint32_t> mirrors = countMirrors(model);
  return checkEach("graph", *model.graphs(),
                   [&](const format::Graph &graph) -> Status {
                     GRAPHC_TRY(graphs.check(graph));
                     // Other tasks write their copies themselves, and of a
                     // family the member that is used is checked once more
                     // (takePlanVariant()).
                     return model.part_task() || graph.member()
                                ? Status::ok()
                                : checkMirrors(model, graph, mirrors);
                   });
}

} // namespace

Status verifyModel(std::span<const std::byte> file) {
  GRAPHC_ASSIGN_OR_RETURN(format::FileHeader header, checkHeader(file));
  Status status =
      checkIndex(file.subspan(header.indexOffset, header.indexSize));
  if (status.isOk())
    status = checkModel(file, header.indexOffset + header.indexSize,
                        *format::GetModel(file.data() + header.indexOffset));
  return status.isOk() ? status : damaged(status.message());
}

} // namespace graphc::runtime
