// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver API: memory of devices, pinned memory of the host, copies.
#include "test/cuda/emulator/Transfers.h"

using namespace graphc::emulator;

namespace {

CUresult freeAllocation(Call &call, uint64_t address, Allocation::Kind kind,
                        CUresult code) {
  Allocation *found = call.driver.memory.find(address);
  if (!found || found->base != address || found->kind != kind ||
      found->isOfModule)
    return call.fail(code, hex(address) +
                               " is not what an allocation returned but " +
                               call.driver.memory.describe(address));
  if (found->isFreed)
    return call.fail(code, found->name + " is freed a second time");
  if (kind == Allocation::Kind::Device)
    call.driver.devices[static_cast<size_t>(found->device)].used -=
        found->bytes;
  call.driver.memory.free(*found);
  return CUDA_SUCCESS;
}

/// A call without a stream waits until it is done.
CUresult finish(Call &call, CUresult submitted) {
  CUresult tooEarly = call.driver.hostWaits(call.context->defaultStream->clock);
  if (submitted || tooEarly)
    return submitted ? submitted : tooEarly;
  return static_cast<CUresult>(call.context->failure.code);
}

} // namespace

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  Call call("cuMemGetInfo");
  if (call.error())
    return call.error();
  // Waits for nothing, but fails where something has failed.
  if (call.context->failure.code)
    return static_cast<CUresult>(call.context->failure.code);
  const EmulatedDevice &device =
      call.driver.devices[static_cast<size_t>(call.context->device)];
  *free = device.memory - device.used;
  *total = device.memory;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  Call call("cuMemAlloc");
  if (call.error())
    return call.error();
  if (!bytes)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "0 bytes are no allocation");
  EmulatedDevice &device =
      call.driver.devices[static_cast<size_t>(call.context->device)];
  Allocation *made = nullptr;
  if (bytes <= device.memory - device.used)
    made = call.driver.memory.allocate(call.context->device, bytes);
  if (!made)
    return call.fail(CUDA_ERROR_OUT_OF_MEMORY,
                     std::to_string(bytes) + " bytes wanted, " +
                         std::to_string(device.memory - device.used) + " of " +
                         std::to_string(device.memory) + " are free on GPU " +
                         std::to_string(call.context->device));
  device.used += bytes;
  *pointer = made->base;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  Call call("cuMemFree");
  if (call.error() || !pointer)
    return call.error();
  return freeAllocation(call, pointer, Allocation::Kind::Device,
                        CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  Call call("cuMemHostAlloc");
  if (call.error())
    return call.error();
  Allocation *made =
      bytes ? call.driver.memory.allocateHost(call.context->device, bytes)
            : nullptr;
  if (!made)
    return call.fail(bytes ? CUDA_ERROR_OUT_OF_MEMORY
                           : CUDA_ERROR_INVALID_VALUE,
                     std::to_string(bytes) + " bytes cannot be pinned");
  *pointer = made->data;
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *pointer) {
  Call call("cuMemFreeHost");
  if (call.error())
    return call.error();
  return freeAllocation(call, reinterpret_cast<uint64_t>(pointer),
                        Allocation::Kind::PinnedHost, CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned) {
  Call call("cuMemHostRegister");
  if (call.error())
    return call.error();
  Allocation *found =
      call.driver.memory.find(reinterpret_cast<uint64_t>(pointer));
  if (!pointer || !bytes)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "there is nothing to pin");
  if (found && !found->isFreed)
    return call.fail(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                     "the memory is pinned already: " + found->name);
  call.driver.memory.registerHost(call.context->device, pointer, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *pointer) {
  Call call("cuMemHostUnregister");
  if (call.error())
    return call.error();
  return freeAllocation(call, reinterpret_cast<uint64_t>(pointer),
                        Allocation::Kind::RegisteredHost,
                        CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  Call call("cuMemcpyHtoD");
  if (call.error())
    return call.error();
  return finish(
      call, copyToDevice(call, to, from, bytes, *call.context->defaultStream));
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  Call call("cuMemcpyDtoH");
  if (call.error())
    return call.error();
  return finish(
      call, copyToHost(call, to, from, bytes, *call.context->defaultStream));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
  StreamCall call("cuMemcpyHtoDAsync", stream);
  if (call.error())
    return call.error();
  return copyToDevice(call, to, from, bytes, *call.stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  StreamCall call("cuMemcpyDtoHAsync", stream);
  if (call.error())
    return call.error();
  return copyToHost(call, to, from, bytes, *call.stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  StreamCall call("cuMemcpyDtoDAsync", stream);
  if (call.error())
    return call.error();
  return copyOnDevices(call, to, from, bytes, *call.stream);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext,
                           CUdeviceptr from, CUcontext fromContext,
                           size_t bytes, CUstream stream) {
  StreamCall call("cuMemcpyPeerAsync", stream);
  if (call.error())
    return call.error();
  for (auto [address, context] :
       {std::pair(to, toContext), std::pair(from, fromContext)}) {
    Allocation *found = call.driver.memory.find(address);
    if (!context || (found && found->device != context->device))
      return call.fail(CUDA_ERROR_INVALID_VALUE,
                       hex(address) +
                           " is not of the context that is given, "
                           "but " +
                           call.driver.memory.describe(address));
  }
  return copyOnDevices(call, to, from, bytes, *call.stream);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  StreamCall call("cuMemsetD8Async", stream);
  if (call.error())
    return call.error();
  return fill(call, to, value, 1, count, *call.stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  StreamCall call("cuMemsetD32Async", stream);
  if (call.error())
    return call.error();
  return fill(call, to, value, 4, count, *call.stream);
}
