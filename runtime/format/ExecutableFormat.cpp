// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/ExecutableFormat.h"

#include <algorithm>

namespace graphc::runtime {

const ExecutableFormat *findFormat(std::string_view target) {
  for (const ExecutableFormat *format : executableFormats())
    if (format->target() == target)
      return format;
  return nullptr;
}

const ExecutableFormat *formatOfType(std::string_view deviceType) {
  for (const ExecutableFormat *format : executableFormats())
    if (format->deviceType() == deviceType)
      return format;
  return nullptr;
}

Status charge(uint64_t &budget, uint64_t count) {
  if (count > budget)
    return dataLoss("its lists are longer than the index that holds them");
  budget -= count;
  return Status::ok();
}

bool isValidBuffer(std::span<const std::byte> bytes,
                   bool (*verify)(flatbuffers::Verifier &)) {
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return false;
  auto maxTables = static_cast<flatbuffers::uoffset_t>(
      std::min<uint64_t>(walkBudget(bytes.size()) / 4, UINT32_MAX));
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
      /*max_depth=*/64, maxTables);
  return verify(verifier);
}

} // namespace graphc::runtime
