// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver API: devices and contexts.
#include "test/cuda/emulator/Driver.h"

#include <cstdio>
#include <cstring>

using namespace graphc::emulator;

namespace {

bool isDevice(const Call &call, CUdevice device) {
  return device >= 0 &&
         static_cast<size_t>(device) < call.driver.devices.size();
}

CUresult noDevice(const Call &call, CUdevice device) {
  return call.fail(CUDA_ERROR_INVALID_DEVICE,
                   "there is no device " + std::to_string(device) + " among " +
                       std::to_string(call.driver.devices.size()));
}

/// A number of cuda.h's CUdevice_attribute, for a chip like an H100.
bool findAttribute(const Driver &driver, int attribute, CUdevice device,
                   int &value) {
  switch (attribute) {
  case 1:
  case 2:
  case 3:
    value = 1024;
    return true; // threads, block x and y
  case 4:
    value = 64;
    return true; // block z
  case 5:
    value = 0x7fffffff;
    return true; // grid x
  case 6:
  case 7:
    value = 65535;
    return true; // grid y and z
  case 8:
    value = 48 << 10;
    return true; // shared memory of a block
  case 10:
    value = 32;
    return true; // warp
  case 12:
    value = 65536;
    return true; // registers of a block
  case 13:
    value = 1755000;
    return true; // clock in kHz
  case 15:
  case 19:
  case 31:
    value = 1;
    return true; // overlap, map, concurrent
  case 16:
    value = 132;
    return true; // multiprocessors
  case 18:
    value = 0;
    return true; // integrated
  case 33:
    value = device + 1;
    return true; // PCI bus
  case 34:
  case 50:
    value = 0;
    return true; // PCI device, domain
  case 36:
    value = 2619000;
    return true; // memory clock in kHz
  case 37:
    value = 5120;
    return true; // memory bus in bits
  case 38:
    value = 50 << 20;
    return true; // second-level cache
  case 39:
    value = 2048;
    return true; // threads of a processor
  case 40:
    value = 3;
    return true; // copy engines
  case 41:
    value = 1;
    return true; // one address space
  case 75:
    value = driver.arch / 10;
    return true; // compute capability
  case 76:
    value = driver.arch % 10;
    return true;
  case 81:
    value = 228 << 10;
    return true; // shared memory of a processor
  case 97:
    value = 227 << 10;
    return true; // the same on demand
  default:
    return false;
  }
}

} // namespace

CUresult cuInit(unsigned flags) {
  Call call("cuInit", Call::Needs::Nothing);
  if (flags)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "flags must be 0");
  if (call.driver.devices.empty())
    return call.fail(CUDA_ERROR_NO_DEVICE, "there is no device");
  call.driver.isInitialised = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
  Call call("cuDriverGetVersion", Call::Needs::Nothing);
  *version = call.driver.version;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  Call call("cuDeviceGetCount", Call::Needs::Driver);
  if (!call.error())
    *count = static_cast<int>(call.driver.devices.size());
  return call.error();
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  Call call("cuDeviceGet", Call::Needs::Driver);
  if (call.error())
    return call.error();
  if (!isDevice(call, ordinal))
    return noDevice(call, ordinal);
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  Call call("cuDeviceGetName", Call::Needs::Driver);
  if (call.error())
    return call.error();
  if (!isDevice(call, device))
    return noDevice(call, device);
  std::snprintf(name, static_cast<size_t>(length), "%s",
                call.driver.model.c_str());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  Call call("cuDeviceGetAttribute", Call::Needs::Driver);
  if (call.error())
    return call.error();
  if (!isDevice(call, device))
    return noDevice(call, device);
  if (!findAttribute(call.driver, attribute, device, *value))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "the emulator does not know attribute " +
                         std::to_string(attribute) +
                         "; teach it in ApiDevice.cpp");
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  Call call("cuDeviceTotalMem", Call::Needs::Driver);
  if (call.error())
    return call.error();
  if (!isDevice(call, device))
    return noDevice(call, device);
  *bytes = call.driver.devices[static_cast<size_t>(device)].memory;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device) {
  Call call("cuDeviceGetPCIBusId", Call::Needs::Driver);
  if (call.error())
    return call.error();
  if (!isDevice(call, device))
    return noDevice(call, device);
  std::snprintf(id, static_cast<size_t>(length), "0000:%02X:00.0", device + 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  Call call("cuDeviceCanAccessPeer", Call::Needs::Driver);
  if (call.error())
    return call.error();
  for (CUdevice each : {device, peer})
    if (!isDevice(call, each))
      return noDevice(call, each);
  *can = device != peer;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  Call call("cuDevicePrimaryCtxRetain", Call::Needs::Driver);
  if (call.error())
    return call.error();
  if (!isDevice(call, device))
    return noDevice(call, device);
  Context &primary = call.driver.contexts[static_cast<size_t>(device)];
  if (!primary.references++) {
    primary.defaultStream = std::make_unique<Stream>();
    primary.defaultStream->context = &primary;
    primary.defaultStream->lane = call.driver.timeline.addLane();
  }
  *context = &primary;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  Call call("cuDevicePrimaryCtxRelease", Call::Needs::Driver);
  if (call.error())
    return call.error();
  if (!isDevice(call, device))
    return noDevice(call, device);
  Context &primary = call.driver.contexts[static_cast<size_t>(device)];
  if (!primary.references)
    return call.fail(CUDA_ERROR_INVALID_CONTEXT,
                     "the context was released more often than retained");
  return --primary.references ? CUDA_SUCCESS : call.driver.destroy(primary);
}

CUresult cuCtxSetCurrent(CUcontext context) {
  Call call("cuCtxSetCurrent", Call::Needs::Driver);
  if (call.error())
    return call.error();
  if (context && !context->references)
    return call.fail(CUDA_ERROR_INVALID_CONTEXT, "the context is not retained");
  currentContext() = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  Call call("cuCtxGetCurrent", Call::Needs::Driver);
  if (!call.error())
    *context = call.context;
  return call.error();
}

CUresult cuCtxGetDevice(CUdevice *device) {
  Call call("cuCtxGetDevice");
  if (!call.error())
    *device = call.context->device;
  return call.error();
}

CUresult cuCtxSynchronize() {
  Call call("cuCtxSynchronize");
  if (call.error())
    return call.error();
  Clock all = call.context->defaultStream->clock;
  call.driver.streams.each([&](Stream &stream) {
    if (stream.context == call.context)
      all.join(stream.clock);
  });
  if (CUresult tooEarly = call.driver.hostWaits(all))
    return tooEarly;
  return static_cast<CUresult>(call.context->failure.code);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  Call call("cuCtxEnablePeerAccess");
  if (call.error())
    return call.error();
  if (flags || !peer || peer == call.context || !peer->references)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "give the context of another device and no flags");
  return call.context->peers.insert(peer->device).second
             ? CUDA_SUCCESS
             : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}
