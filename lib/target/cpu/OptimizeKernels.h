// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's optimisations of kernels for x86-64.
#ifndef GRAPHC_LIB_TARGET_CPU_OPTIMIZEKERNELS_H
#define GRAPHC_LIB_TARGET_CPU_OPTIMIZEKERNELS_H

#include "graphc/Choices.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace graphc {

/// Optimises all functions; the result calls nothing.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine,
                     OptLevel optLevel);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_OPTIMIZEKERNELS_H
