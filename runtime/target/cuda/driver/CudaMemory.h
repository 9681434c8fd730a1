// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a GPU, and memory of the host that a GPU reads and writes itself.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDAMEMORY_H
#define GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDAMEMORY_H

#include "runtime/target/cuda/driver/CudaDevice.h"

#include <span>

namespace graphc::runtime {

/// Memory that the driver gives for a device, handed back by its owner with
/// `Free`, a function of CudaApi.
template <typename Address, auto Free> class CudaAllocation {
public:
  CudaAllocation() = default;
  CudaAllocation(CudaAllocation &&other) noexcept { swap(other); }
  CudaAllocation &operator=(CudaAllocation &&other) noexcept {
    swap(other);
    return *this;
  }
  ~CudaAllocation() {
    if (start && device->makeCurrent().isOk())
      (device->api().*Free)(start);
  }

  size_t size() const { return bytes; }

protected:
  /// Takes `wanted` bytes for `what` by `allocate(&start, wanted, flags...)`.
  template <typename Allocate, typename... Flags>
  Status take(const CudaDevice &owner, size_t wanted, std::string doing,
              std::string_view what, Allocate allocate, Flags... flags) {
    device = &owner;
    bytes = wanted;
    if (bytes == 0)
      return Status::ok();
    GRAPHC_TRY(device->makeCurrent());
    doing += " " + std::to_string(bytes) + " bytes for " + std::string(what);
    return device->check(allocate(&start, bytes, flags...), doing);
  }

  const CudaDevice *device = nullptr;
  Address start{};
  size_t bytes = 0;

private:
  void swap(CudaAllocation &other) noexcept {
    std::swap(device, other.device);
    std::swap(start, other.start);
    std::swap(bytes, other.bytes);
  }
};

/// Memory of a GPU at a multiple of 256 bytes. What is in it first is not
/// known.
/// Thread-safety: as a value type.
class CudaBuffer : public CudaAllocation<cuda::Pointer, &CudaApi::memoryFree> {
public:
  /// `device` must outlive the buffer. RESOURCE_EXHAUSTED that names what the
  /// memory was for.
  static StatusOr<CudaBuffer> allocate(const CudaDevice &device, size_t bytes,
                                       std::string_view what);

  /// Zeroes it all; done when the call returns.
  Status clear();

  cuda::Pointer address() const { return start; }
};

/// Pinned memory of the host at a multiple of 64 bytes, zeroed.
/// Thread-safety: as a value type.
class PinnedBuffer : public CudaAllocation<void *, &CudaApi::hostFree> {
public:
  static StatusOr<PinnedBuffer> allocate(const CudaDevice &device, size_t bytes,
                                         std::string_view what);

  std::byte *data() const { return static_cast<std::byte *>(start); }
};

/// Copies that are done when the call returns.
Status upload(const CudaDevice &device, cuda::Pointer to,
              std::span<const std::byte> from);
Status download(const CudaDevice &device, std::span<std::byte> to,
                cuda::Pointer from);

} // namespace graphc::runtime

#endif
