// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/driver/CudaMemory.h"

#include <cstring>

namespace graphc::runtime {

StatusOr<CudaBuffer> CudaBuffer::allocate(const CudaDevice &device,
                                          size_t bytes, std::string_view what) {
  CudaBuffer buffer;
  GRAPHC_TRY(buffer.take(device, bytes, "allocating", what,
                         device.api().memoryAllocate));
  return buffer;
}

Status CudaBuffer::clear() {
  if (bytes == 0)
    return Status::ok();
  GRAPHC_TRY(device->makeCurrent());
  const CudaApi &api = device->api();
  GRAPHC_TRY(device->check(api.fillBytesAsync(start, 0, bytes, nullptr),
                           "clearing memory"));
  return device->check(api.streamSynchronize(nullptr), "clearing memory");
}

StatusOr<PinnedBuffer> PinnedBuffer::allocate(const CudaDevice &device,
                                              size_t bytes,
                                              std::string_view what) {
  PinnedBuffer buffer;
  GRAPHC_TRY(buffer.take(device, bytes, "pinning", what,
                         device.api().hostAllocate, 0u));
  if (bytes > 0)
    std::memset(buffer.start, 0, bytes);
  return buffer;
}

Status upload(const CudaDevice &device, cuda::Pointer to,
              std::span<const std::byte> from) {
  if (from.empty())
    return Status::ok();
  GRAPHC_TRY(device.makeCurrent());
  return device.check(device.api().copyToDevice(to, from.data(), from.size()),
                      "a copy to the device");
}

Status download(const CudaDevice &device, std::span<std::byte> to,
                cuda::Pointer from) {
  if (to.empty())
    return Status::ok();
  GRAPHC_TRY(device.makeCurrent());
  return device.check(device.api().copyToHost(to.data(), from, to.size()),
                      "a copy to the host");
}

} // namespace graphc::runtime
