// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model whose GPUs add up values, where a library may do so.
#ifndef GRAPHC_TEST_RUNTIME_TARGET_CUDA_PROGRAM_REDUCEMODEL_H
#define GRAPHC_TEST_RUNTIME_TARGET_CUDA_PROGRAM_REDUCEMODEL_H

#include "test/runtime/target/cuda/program/GpuModels.h"

namespace graphc::test {

/// Full name of a GPU of this process.
std::string gpuName(uint32_t number);

/// The instructions of each program of reduceModel().
enum ReduceStep : uint32_t {
  kReduceOwn,      ///< own = x + x
  kReduceTransfer, ///< two instructions
  kReduceRing = kReduceTransfer + 2,
  kReduceSum,  ///< op 'AllReduce' (line 9)
  kReduceElse, ///< z = x + x
  kReduceUse,  ///< y = sum + sum
  kReduceEnd
};

/// Graphs "reduce" and "again", a program on each of `gpus` GPUs with feed x
/// and fetches y and z, two elements each, with the GPU's number after their
/// names. y is 4 times the sum of all x. Instructions that a library replaces
/// make something else on purpose: 8 times the x of the next GPU.
ModelBuilder reduceModel(uint32_t gpus);

} // namespace graphc::test

#endif
