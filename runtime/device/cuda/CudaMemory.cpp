// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/CudaMemory.h"

#include <cstring>

namespace graphc::runtime {

CudaBuffer::~CudaBuffer() {
  if (start && device->makeCurrent().isOk())
    device->api().memoryFree(start);
}

void CudaBuffer::swap(CudaBuffer &other) noexcept {
  std::swap(device, other.device);
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
}

StatusOr<CudaBuffer> CudaBuffer::allocate(const CudaDevice &device,
                                          size_t bytes, std::string_view what) {
  CudaBuffer buffer;
  buffer.device = &device;
  buffer.bytes = bytes;
  if (bytes == 0)
    return buffer;
  GRAPHC_TRY(device.makeCurrent());
  std::string doing =
      "allocating " + std::to_string(bytes) + " bytes for " + std::string(what);
  const CudaApi &api = device.api();
  GRAPHC_TRY(device.check(api.memoryAllocate(&buffer.start, bytes), doing));
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

PinnedBuffer::~PinnedBuffer() {
  if (start && device->makeCurrent().isOk())
    device->api().hostFree(start);
}

void PinnedBuffer::swap(PinnedBuffer &other) noexcept {
  std::swap(device, other.device);
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
}

StatusOr<PinnedBuffer> PinnedBuffer::allocate(const CudaDevice &device,
                                              size_t bytes,
                                              std::string_view what) {
  PinnedBuffer buffer;
  buffer.device = &device;
  buffer.bytes = bytes;
  if (bytes == 0)
    return buffer;
  GRAPHC_TRY(device.makeCurrent());
  void *address = nullptr;
  GRAPHC_TRY(device.check(device.api().hostAllocate(&address, bytes, 0),
                          "pinning " + std::to_string(bytes) + " bytes for " +
                              std::string(what)));
  buffer.start = static_cast<std::byte *>(address);
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
