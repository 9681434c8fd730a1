// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the CUDA driver API that the emulator has, with the numbers and
// names of cuda.h, so that no toolkit is needed to build and test.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_API_DRIVERAPI_H
#define GRAPHC_TEST_CUDA_EMULATOR_API_DRIVERAPI_H

#include <cstddef>
#include <cstdint>

namespace graphc::emulator {
struct Context;
struct Stream;
struct Event;
struct Module;
struct Function;
struct Graph;
struct GraphExec;
} // namespace graphc::emulator

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = graphc::emulator::Context *;
using CUstream = graphc::emulator::Stream *;
using CUevent = graphc::emulator::Event *;
using CUmodule = graphc::emulator::Module *;
using CUfunction = graphc::emulator::Function *;
using CUgraph = graphc::emulator::Graph *;
using CUgraphExec = graphc::emulator::GraphExec *;
using CUhostFn = void (*)(void *userData);

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
  CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
  CUDA_ERROR_CAPTURED_EVENT = 907
};

enum CUstreamCaptureStatus {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2
};

constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
constexpr unsigned CU_EVENT_DISABLE_TIMING = 2;

#define GRAPHC_CUDA extern "C" __attribute__((visibility("default")))

GRAPHC_CUDA CUresult cuInit(unsigned flags);
GRAPHC_CUDA CUresult cuDriverGetVersion(int *version);
GRAPHC_CUDA CUresult cuDeviceGetCount(int *count);
GRAPHC_CUDA CUresult cuDeviceGet(CUdevice *device, int ordinal);
GRAPHC_CUDA CUresult cuDeviceGetName(char *name, int length, CUdevice device);
GRAPHC_CUDA CUresult cuDeviceGetAttribute(int *value, int attribute,
                                          CUdevice device);
GRAPHC_CUDA CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
GRAPHC_CUDA CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device);
GRAPHC_CUDA CUresult cuDeviceCanAccessPeer(int *can, CUdevice device,
                                           CUdevice peer);
GRAPHC_CUDA CUresult cuDevicePrimaryCtxRetain(CUcontext *context,
                                              CUdevice device);
GRAPHC_CUDA CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
GRAPHC_CUDA CUresult cuCtxSetCurrent(CUcontext context);
GRAPHC_CUDA CUresult cuCtxGetCurrent(CUcontext *context);
GRAPHC_CUDA CUresult cuCtxGetDevice(CUdevice *device);
GRAPHC_CUDA CUresult cuCtxSynchronize();
GRAPHC_CUDA CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);

GRAPHC_CUDA CUresult cuMemGetInfo_v2(size_t *free, size_t *total);
GRAPHC_CUDA CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes);
GRAPHC_CUDA CUresult cuMemFree_v2(CUdeviceptr pointer);
GRAPHC_CUDA CUresult cuMemHostAlloc(void **pointer, size_t bytes,
                                    unsigned flags);
GRAPHC_CUDA CUresult cuMemFreeHost(void *pointer);
GRAPHC_CUDA CUresult cuMemHostRegister_v2(void *pointer, size_t bytes,
                                          unsigned flags);
GRAPHC_CUDA CUresult cuMemHostUnregister(void *pointer);
GRAPHC_CUDA CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from,
                                     size_t bytes);
GRAPHC_CUDA CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
GRAPHC_CUDA CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from,
                                          size_t bytes, CUstream stream);
GRAPHC_CUDA CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from,
                                          size_t bytes, CUstream stream);
GRAPHC_CUDA CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from,
                                          size_t bytes, CUstream stream);
GRAPHC_CUDA CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext,
                                       CUdeviceptr from, CUcontext fromContext,
                                       size_t bytes, CUstream stream);
GRAPHC_CUDA CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value,
                                     size_t count, CUstream stream);
GRAPHC_CUDA CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value,
                                      size_t count, CUstream stream);

GRAPHC_CUDA CUresult cuStreamCreate(CUstream *stream, unsigned flags);
GRAPHC_CUDA CUresult cuStreamCreateWithPriority(CUstream *stream,
                                                unsigned flags, int priority);
GRAPHC_CUDA CUresult cuStreamDestroy_v2(CUstream stream);
GRAPHC_CUDA CUresult cuStreamSynchronize(CUstream stream);
GRAPHC_CUDA CUresult cuStreamQuery(CUstream stream);
GRAPHC_CUDA CUresult cuStreamWaitEvent(CUstream stream, CUevent event,
                                       unsigned flags);
GRAPHC_CUDA CUresult cuStreamBeginCapture_v2(CUstream stream, int mode);
GRAPHC_CUDA CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
GRAPHC_CUDA CUresult cuStreamIsCapturing(CUstream stream,
                                         CUstreamCaptureStatus *status);
GRAPHC_CUDA CUresult cuEventCreate(CUevent *event, unsigned flags);
GRAPHC_CUDA CUresult cuEventDestroy_v2(CUevent event);
GRAPHC_CUDA CUresult cuEventRecord(CUevent event, CUstream stream);
GRAPHC_CUDA CUresult cuEventSynchronize(CUevent event);
GRAPHC_CUDA CUresult cuEventQuery(CUevent event);
GRAPHC_CUDA CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent begin,
                                           CUevent end);
GRAPHC_CUDA CUresult cuEventElapsedTime(float *milliseconds, CUevent begin,
                                        CUevent end);

GRAPHC_CUDA CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                                        unsigned count, int *options,
                                        void **values);
GRAPHC_CUDA CUresult cuModuleUnload(CUmodule module);
GRAPHC_CUDA CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                         const char *name);
GRAPHC_CUDA CUresult cuFuncGetAttribute(int *value, int attribute,
                                        CUfunction function);
GRAPHC_CUDA CUresult cuLaunchKernel(CUfunction function, unsigned gridX,
                                    unsigned gridY, unsigned gridZ,
                                    unsigned blockX, unsigned blockY,
                                    unsigned blockZ, unsigned sharedBytes,
                                    CUstream stream, void **parameters,
                                    void **extra);
GRAPHC_CUDA CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function,
                                      void *userData);

GRAPHC_CUDA CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec,
                                                 CUgraph graph,
                                                 unsigned long long flags);
GRAPHC_CUDA CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
GRAPHC_CUDA CUresult cuGraphExecDestroy(CUgraphExec exec);
GRAPHC_CUDA CUresult cuGraphDestroy(CUgraph graph);

GRAPHC_CUDA CUresult cuGetErrorName(CUresult error, const char **text);
GRAPHC_CUDA CUresult cuGetErrorString(CUresult error, const char **text);
GRAPHC_CUDA CUresult cuGetProcAddress_v2(const char *symbol, void **function,
                                         int version, uint64_t flags,
                                         int *status);

/// The text of the last error that the emulator found; empty if there is none.
GRAPHC_CUDA const char *graphcEmulatorLastError();

/// Begins to note, for each operation, which ones before it it may run beside.
GRAPHC_CUDA void graphcEmulatorStartTrace();
/// A line per operation since then: "3 kernel 'add' beside 1 2".
GRAPHC_CUDA const char *graphcEmulatorTrace();

/// True when the calling thread is in a call of the emulator.
GRAPHC_CUDA int graphcEmulatorIsInside();

struct GraphcEmulatorRange {
  CUdeviceptr address;
  size_t bytes;
};

/// Work of an emulated library: `function` gets the host's addresses of the
/// ranges and the copied arguments. It is ordered, captured and checked like a
/// kernel that reads and writes just these ranges.
GRAPHC_CUDA CUresult graphcEmulatorEnqueue(
    CUstream stream, const char *name, const GraphcEmulatorRange *reads,
    size_t readCount, const GraphcEmulatorRange *writes, size_t writeCount,
    void (*function)(void *const *reads, void *const *writes,
                     const void *arguments),
    const void *arguments, size_t argumentBytes);

#endif
