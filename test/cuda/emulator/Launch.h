// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that is carried out: its grid, its parameters, and how it failed.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_LAUNCH_H
#define GRAPHC_TEST_CUDA_EMULATOR_LAUNCH_H

#include "test/cuda/emulator/Memory.h"
#include "test/cuda/emulator/Program.h"

#include <functional>

namespace graphc::emulator {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

/// Failure of work on a device; 0: none.
struct Failure {
  int code = 0; ///< a CUresult
  std::string text;
};

struct Launch {
  std::shared_ptr<const Kernel> kernel;
  Dim3 grid, block;
  uint64_t dynamicShared = 0;
  std::vector<uint8_t> parameters;
  int device = 0;
  Memory *memory = nullptr;
  /// May kernels of this device use memory of the other?
  std::function<bool(int other)> hasPeer;
  Actor actor; ///< the operation, its clock
  Failure failure;

  /// All blocks, one after the other, until one fails.
  void run();
};

} // namespace graphc::emulator

#endif
