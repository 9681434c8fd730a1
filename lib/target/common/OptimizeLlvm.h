// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs LLVM's optimisations, set up so that the result calls nothing.
#ifndef GRAPHC_LIB_TARGET_COMMON_OPTIMIZELLVM_H
#define GRAPHC_LIB_TARGET_COMMON_OPTIMIZELLVM_H

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace graphc {

/// Runs the passes that `build` makes on the module, with the analyses of
/// `machine` and without library functions.
void optimizeModule(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::PipelineTuningOptions tuning,
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> build);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_OPTIMIZELLVM_H
