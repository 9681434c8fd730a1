// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's optimisations of kernels for x86-64.
#ifndef GRAPHC_LIB_TARGET_CPU_OPTIMIZEKERNELS_H
#define GRAPHC_LIB_TARGET_CPU_OPTIMIZEKERNELS_H

#include "graphc/Choices.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace graphc {

/// The passes that kernels get.
struct KernelPasses {
  OptLevel optLevel = OptLevel::Full;
  /// Loops get simple counters, and addresses that go along with them: time of
  /// LLVM that only kernels with sums in vectors gain from, as measured in
  /// bench/results/networks.md.
  bool simplifiesIndices = true;
};

/// The passes for `module`, as MLIR made it.
KernelPasses passesFor(const llvm::Module &module, OptLevel optLevel);

/// Optimises all functions; the result calls nothing.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine,
                     KernelPasses wanted);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_OPTIMIZEKERNELS_H
