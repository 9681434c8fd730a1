// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver of the process, loaded when the first model asks for a GPU.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDAAPI_H
#define GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDAAPI_H

#include "runtime/base/Status.h"
#include "runtime/target/cuda/driver/CudaTypes.h"

#include <cstddef>

namespace graphc::runtime {

// Member, function of the driver, its parameters.
#define GRAPHC_CUDA_FUNCTIONS(X)                                               \
  X(init, cuInit, (unsigned))                                                  \
  X(driverGetVersion, cuDriverGetVersion, (int *))                             \
  X(getErrorName, cuGetErrorName, (cuda::Result, const char **))               \
  X(getErrorString, cuGetErrorString, (cuda::Result, const char **))           \
  X(deviceGetCount, cuDeviceGetCount, (int *))                                 \
  X(deviceGet, cuDeviceGet, (cuda::Device *, int))                             \
  X(deviceGetName, cuDeviceGetName, (char *, int, cuda::Device))               \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, int, cuda::Device))      \
  X(deviceTotalMem, cuDeviceTotalMem_v2, (size_t *, cuda::Device))             \
  X(deviceGetPciBusId, cuDeviceGetPCIBusId, (char *, int, cuda::Device))       \
  X(deviceCanAccessPeer, cuDeviceCanAccessPeer,                                \
    (int *, cuda::Device, cuda::Device))                                       \
  X(primaryContextRetain, cuDevicePrimaryCtxRetain,                            \
    (cuda::Context *, cuda::Device))                                           \
  X(primaryContextRelease, cuDevicePrimaryCtxRelease_v2, (cuda::Device))       \
  X(contextSetCurrent, cuCtxSetCurrent, (cuda::Context))                       \
  X(contextEnablePeerAccess, cuCtxEnablePeerAccess, (cuda::Context, unsigned)) \
  X(memoryInfo, cuMemGetInfo_v2, (size_t *, size_t *))                         \
  X(memoryAllocate, cuMemAlloc_v2, (cuda::Pointer *, size_t))                  \
  X(memoryFree, cuMemFree_v2, (cuda::Pointer))                                 \
  X(hostAllocate, cuMemHostAlloc, (void **, size_t, unsigned))                 \
  X(hostFree, cuMemFreeHost, (void *))                                         \
  X(copyToDevice, cuMemcpyHtoD_v2, (cuda::Pointer, const void *, size_t))      \
  X(copyToHost, cuMemcpyDtoH_v2, (void *, cuda::Pointer, size_t))              \
  X(copyToDeviceAsync, cuMemcpyHtoDAsync_v2,                                   \
    (cuda::Pointer, const void *, size_t, cuda::Stream))                       \
  X(copyToHostAsync, cuMemcpyDtoHAsync_v2,                                     \
    (void *, cuda::Pointer, size_t, cuda::Stream))                             \
  X(copyOnDeviceAsync, cuMemcpyDtoDAsync_v2,                                   \
    (cuda::Pointer, cuda::Pointer, size_t, cuda::Stream))                      \
  X(copyToPeerAsync, cuMemcpyPeerAsync,                                        \
    (cuda::Pointer, cuda::Context, cuda::Pointer, cuda::Context, size_t,       \
     cuda::Stream))                                                            \
  X(fillBytesAsync, cuMemsetD8Async,                                           \
    (cuda::Pointer, unsigned char, size_t, cuda::Stream))                      \
  X(fillWordsAsync, cuMemsetD32Async,                                          \
    (cuda::Pointer, unsigned, size_t, cuda::Stream))                           \
  X(streamCreate, cuStreamCreate, (cuda::Stream *, unsigned))                  \
  X(streamDestroy, cuStreamDestroy_v2, (cuda::Stream))                         \
  X(streamSynchronize, cuStreamSynchronize, (cuda::Stream))                    \
  X(streamWaitEvent, cuStreamWaitEvent, (cuda::Stream, cuda::Event, unsigned)) \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (cuda::Stream, int))          \
  X(streamEndCapture, cuStreamEndCapture, (cuda::Stream, cuda::Graph *))       \
  X(eventCreate, cuEventCreate, (cuda::Event *, unsigned))                     \
  X(eventDestroy, cuEventDestroy_v2, (cuda::Event))                            \
  X(eventRecord, cuEventRecord, (cuda::Event, cuda::Stream))                   \
  X(eventSynchronize, cuEventSynchronize, (cuda::Event))                       \
  X(moduleLoadData, cuModuleLoadDataEx,                                        \
    (cuda::Module *, const void *, unsigned, int *, void **))                  \
  X(moduleUnload, cuModuleUnload, (cuda::Module))                              \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (cuda::Function *, cuda::Module, const char *))                            \
  X(launchKernel, cuLaunchKernel,                                              \
    (cuda::Function, unsigned, unsigned, unsigned, unsigned, unsigned,         \
     unsigned, unsigned, cuda::Stream, void **, void **))                      \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                             \
    (cuda::GraphExec *, cuda::Graph, unsigned long long))                      \
  X(graphLaunch, cuGraphLaunch, (cuda::GraphExec, cuda::Stream))               \
  X(graphExecDestroy, cuGraphExecDestroy, (cuda::GraphExec))                   \
  X(graphDestroy, cuGraphDestroy, (cuda::Graph))

/// Thread-safety: const; the driver's own rules hold for its functions.
class CudaApi {
public:
  /// The driver of the process: libcuda.so.1, or the library that the variable
  /// GRAPHC_CUDA_DRIVER names. UNAVAILABLE with the reason where there is none,
  /// FAILED_PRECONDITION when it is too old. The first call decides for good.
  static StatusOr<const CudaApi *> load();

  /// Success, or what went wrong while doing `what`, in the driver's words.
  Status check(cuda::Result result, std::string_view what) const;

  /// "12.4".
  std::string version() const;

#define GRAPHC_DECLARE(MEMBER, FUNCTION, PARAMETERS)                           \
  cuda::Result(*MEMBER) PARAMETERS = nullptr;
  GRAPHC_CUDA_FUNCTIONS(GRAPHC_DECLARE)
#undef GRAPHC_DECLARE

private:
  static StatusOr<const CudaApi *> open();
};

/// "12.4" of 12040.
std::string cudaVersionText(int version);

} // namespace graphc::runtime

#endif
