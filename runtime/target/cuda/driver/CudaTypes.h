// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types and numbers of the CUDA driver API that the runtime uses: as in
// cuda.h, which is not needed to build. test/runtime/target/cuda/driver
// compares them where a toolkit is installed.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDATYPES_H
#define GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDATYPES_H

namespace graphc::runtime::cuda {

using Result = int;
using Device = int;
using Pointer = unsigned long long; ///< into the memory of a device
using Context = struct ContextRecord *;
using Stream = struct StreamRecord *;
using Event = struct EventRecord *;
using Module = struct ModuleRecord *;
using Function = struct FunctionRecord *;
using Graph = struct GraphRecord *;
using GraphExec = struct GraphExecRecord *;

inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kUnsupportedPtxVersion = 222;
inline constexpr Result kPeerAccessAlreadyEnabled = 704;

inline constexpr unsigned kStreamNonBlocking = 1;
/// Threads that wait for such an event sleep.
inline constexpr unsigned kEventBlockingSync = 1;
inline constexpr unsigned kEventDisableTiming = 2;
/// Captures what the calling thread does, whatever other threads do meanwhile.
inline constexpr int kCaptureThreadLocal = 1;

inline constexpr int kCapabilityMajor = 75; ///< device attributes
inline constexpr int kCapabilityMinor = 76;

inline constexpr int kJitErrorLogBuffer = 5; ///< options of module loading
inline constexpr int kJitErrorLogBytes = 6;

} // namespace graphc::runtime::cuda

#endif
