// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers of the emulated libraries: refusals of calls, and checks of operands.
#ifndef GRAPHC_TEST_CUDA_LIBRARY_LIBRARYCALL_H
#define GRAPHC_TEST_CUDA_LIBRARY_LIBRARYCALL_H

#include "test/cuda/emulator/api/DriverApi.h"

#include <cstdio>
#include <initializer_list>

namespace graphc::emulator {

/// Workspace of the only algorithm of an emulated library.
inline constexpr size_t kWorkspaceBytes = 4096;

/// Says why a call is refused; returns `code`.
inline int refuseCall(const char *library, int code, const char *why) {
  std::fprintf(stderr, "emulated %s: %s\n", library, why);
  return code;
}

inline bool hasCurrentDevice() {
  CUcontext context = nullptr;
  return cuCtxGetCurrent(&context) == CUDA_SUCCESS && context;
}

/// True when vectors of 16 bytes can be read at all of the addresses.
inline bool areAligned(std::initializer_list<const void *> operands) {
  for (const void *operand : operands)
    if (!operand || reinterpret_cast<uintptr_t>(operand) % 16)
      return false;
  return true;
}

inline GraphcEmulatorRange floats(const void *start, size_t count) {
  return {reinterpret_cast<CUdeviceptr>(start), count * sizeof(float)};
}

/// Of what only a call itself uses.
inline GraphcEmulatorRange workspaceRange(void *start) {
  return {reinterpret_cast<CUdeviceptr>(start), kWorkspaceBytes};
}

} // namespace graphc::emulator

#endif
