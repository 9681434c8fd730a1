// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/ModelBytes.h"

#include "runtime/format/DeviceMemory.h"
#include "runtime/format/FileHeader.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/format/print/Print.h"
#include "test/fuzz/Input.h"

#include <sstream>

namespace graphc::test {

using namespace runtime;

namespace {

constexpr uint64_t kMaxMemory = 16 << 20;

uint64_t touch(const Model &model, const format::Blob *blob) {
  uint64_t sum = 0;
  if (blob)
    for (std::byte byte : model.blob(*blob))
      sum += static_cast<uint64_t>(byte);
  return sum;
}

/// Sums up, so that nothing is left out as unused.
uint64_t touchBlobs(const format::Model &index, const Model &model) {
  uint64_t sum = touch(model, index.source());
  for (const format::Executable *executable : *index.executables())
    sum += touch(model, executable->code());
  for (const format::Graph *graph : *index.graphs())
    for (const format::Program *program : *graph->programs())
      for (const format::Slot *slot : *program->slots())
        if (slot->kind() == format::SlotKind::Constant)
          sum += touch(model, slot->data());
  return sum;
}

void readAll(const Model &model) {
  std::ostringstream out;
  printMetadata(model, out, true);
  printKernels(model, out, true);
  printDeviceMemory(model.index(), out);
  for (const format::Graph *graph : *model.index().graphs()) {
    printSchedule(model.index(), *graph, out);
    printMemory(model.index(), *graph, out, true);
  }
  out << touchBlobs(model.index(), model);
  require(out.good() && !planDigest(model).empty(), "a model can be told");
  planVariantsOf(model);
}

} // namespace

std::vector<std::byte> repairModel(std::span<const std::byte> bytes) {
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  format::FileHeader header = {};
  if (file.size() < sizeof header)
    return file;
  std::memcpy(&header, file.data(), sizeof header);
  uint64_t most =
      (file.size() - sizeof header) / format::kAlignment * format::kAlignment;
  uint64_t size = header.indexSize / format::kAlignment * format::kAlignment;
  format::sealFile(file, std::min(size, most));
  return file;
}

std::shared_ptr<const Model> openRepaired(std::span<const std::byte> bytes) {
  auto model = Model::fromBytes(repairModel(bytes), "fuzz");
  requireMessage(model.status());
  if (!model.isOk())
    return nullptr;
  readAll(**model);
  return *model;
}

bool isSmall(const Model &model) {
  uint64_t total = 0;
  for (const DeviceMemory &device : deviceMemory(model.index()))
    if (__builtin_add_overflow(total, device.total(), &total))
      return false;
  for (const format::Kernel *kernel : *model.index().kernels())
    if (__builtin_add_overflow(total, kernel->scratch_bytes(), &total))
      return false;
  return total <= kMaxMemory;
}

size_t changeNumber(std::span<std::byte> file, std::mt19937 &random) {
  static constexpr uint64_t kNumbers[] = {
      0,          1,          2,         3,          4,
      63,         64,         65,        255,        256,
      4096,       1u << 31,   INT32_MAX, UINT32_MAX, 1ull << 32,
      1ull << 40, 1ull << 62, INT64_MAX, UINT64_MAX};
  format::FileHeader header = {};
  if (file.size() <= sizeof header + sizeof(uint64_t))
    return file.size();
  std::memcpy(&header, file.data(), sizeof header);
  uint64_t size = std::clamp<uint64_t>(header.indexSize, sizeof(uint64_t),
                                       file.size() - sizeof header);
  // Executables, whose code is checked as the index is, lie after it.
  if (random() % 4 == 0)
    size = file.size() - sizeof header;
  size_t width = size_t(1) << random() % 4;
  size_t place = sizeof header + random() % (size / width) * width;
  uint64_t number = 0;
  std::memcpy(&number, file.data() + place, width);
  switch (random() % 4) {
  case 0:
    number = kNumbers[random() % std::size(kNumbers)];
    break;
  case 1:
    number += random() % 9 - 4;
    break;
  case 2:
    number ^= 1ull << random() % (8 * width);
    break;
  default: // another number of the file
    std::memcpy(&number,
                file.data() + sizeof header + random() % (size / width) * width,
                width);
  }
  std::memcpy(file.data() + place, &number, width);
  return file.size();
}

} // namespace graphc::test
