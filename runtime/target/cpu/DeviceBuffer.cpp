// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/DeviceBuffer.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace graphc::runtime {

namespace {
constexpr size_t kCacheLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;

size_t roundUp(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Whole huge pages, or null. The ends of a larger mapping are given back,
/// which leaves an aligned one.
std::byte *mapHugePages(size_t bytes) {
  size_t reserved = bytes + kHugePage;
  void *mapped = mmap(nullptr, reserved, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  auto address = reinterpret_cast<uintptr_t>(mapped);
  uintptr_t aligned = roundUp(address, kHugePage);
  if (aligned > address)
    munmap(mapped, aligned - address);
  if (size_t rest = address + reserved - (aligned + bytes))
    munmap(reinterpret_cast<void *>(aligned + bytes), rest);
  // Without huge pages in the kernel this fails, and small ones do.
  madvise(reinterpret_cast<void *>(aligned), bytes, MADV_HUGEPAGE);
  return reinterpret_cast<std::byte *>(aligned);
}
} // namespace

DeviceBuffer::~DeviceBuffer() {
  if (mappedBytes)
    munmap(start, mappedBytes);
  else
    std::free(start);
}

void DeviceBuffer::swap(DeviceBuffer &other) noexcept {
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
  std::swap(mappedBytes, other.mappedBytes);
}

StatusOr<DeviceBuffer> DeviceBuffer::allocate(size_t bytes,
                                              std::string_view what) {
  DeviceBuffer buffer;
  buffer.bytes = bytes;
  if (bytes >= kHugePage && bytes < SIZE_MAX - 2 * kHugePage) {
    buffer.mappedBytes = roundUp(bytes, kHugePage);
    buffer.start = mapHugePages(buffer.mappedBytes);
    if (!buffer.start)
      buffer.mappedBytes = 0;
  } else if (bytes < kHugePage) {
    size_t padded = roundUp(bytes ? bytes : 1, kCacheLine);
    buffer.start =
        static_cast<std::byte *>(std::aligned_alloc(kCacheLine, padded));
    if (buffer.start)
      std::memset(buffer.start, 0, padded);
  }
  if (!buffer.start)
    return resourceExhausted("cannot allocate " + std::to_string(bytes) +
                             " bytes for " + std::string(what) +
                             "; use a machine with more memory, or compile "
                             "with a smaller batch");
  return buffer;
}

} // namespace graphc::runtime
