// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the CPU device: arenas, variables and scratch.
#ifndef GRAPHC_RUNTIME_TARGET_CPU_DEVICEBUFFER_H
#define GRAPHC_RUNTIME_TARGET_CPU_DEVICEBUFFER_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <span>

namespace graphc::runtime {

/// Zeroed memory at a multiple of 64 bytes, freed with its owner. Big buffers
/// are at a multiple of 2 MiB and asked to be made of huge pages.
/// Thread-safety: as a value type.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer &&other) noexcept { swap(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBuffer();

  /// `bytes` of memory; RESOURCE_EXHAUSTED names what they were for.
  static StatusOr<DeviceBuffer> allocate(size_t bytes, std::string_view what);

  std::byte *data() const { return start; }
  size_t size() const { return bytes; }
  std::span<std::byte> span() const { return {start, bytes}; }

private:
  void swap(DeviceBuffer &other) noexcept;

  std::byte *start = nullptr;
  size_t bytes = 0;
  size_t mappedBytes = 0; ///< 0: from the heap
};

} // namespace graphc::runtime

#endif
