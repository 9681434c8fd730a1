// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a GPU, and memory of the host that a GPU reads and writes itself.
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_CUDAMEMORY_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_CUDAMEMORY_H

#include "runtime/device/cuda/CudaDevice.h"

#include <span>

namespace graphc::runtime {

/// Memory of a GPU at a multiple of 256 bytes, freed with its owner. What is in
/// it first is not known.
/// Thread-safety: as a value type.
class CudaBuffer {
public:
  CudaBuffer() = default;
  CudaBuffer(CudaBuffer &&other) noexcept { swap(other); }
  CudaBuffer &operator=(CudaBuffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~CudaBuffer();

  /// `device` must outlive the buffer. RESOURCE_EXHAUSTED that says what the
  /// memory was for.
  static StatusOr<CudaBuffer> allocate(const CudaDevice &device, size_t bytes,
                                       std::string_view what);

  /// Zeroes it all; done when the call returns.
  Status clear();

  cuda::Pointer address() const { return start; }
  size_t size() const { return bytes; }

private:
  void swap(CudaBuffer &other) noexcept;

  const CudaDevice *device = nullptr;
  cuda::Pointer start = 0;
  size_t bytes = 0;
};

/// Pinned memory of the host at a multiple of 64 bytes, zeroed.
/// Thread-safety: as a value type.
class PinnedBuffer {
public:
  PinnedBuffer() = default;
  PinnedBuffer(PinnedBuffer &&other) noexcept { swap(other); }
  PinnedBuffer &operator=(PinnedBuffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~PinnedBuffer();

  static StatusOr<PinnedBuffer> allocate(const CudaDevice &device, size_t bytes,
                                         std::string_view what);

  std::byte *data() const { return start; }
  size_t size() const { return bytes; }

private:
  void swap(PinnedBuffer &other) noexcept;

  const CudaDevice *device = nullptr;
  std::byte *start = nullptr;
  size_t bytes = 0;
};

/// Copies that are done when the call returns.
Status upload(const CudaDevice &device, cuda::Pointer to,
              std::span<const std::byte> from);
Status download(const CudaDevice &device, std::span<std::byte> to,
                cuda::Pointer from);

} // namespace graphc::runtime

#endif
