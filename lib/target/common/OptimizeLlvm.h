// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's optimisations, as all targets run them.
#ifndef GRAPHC_LIB_TARGET_COMMON_OPTIMIZELLVM_H
#define GRAPHC_LIB_TARGET_COMMON_OPTIMIZELLVM_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace graphc {

/// LLVM's -O3 for the target of `machine`, without library functions. Loops and
/// straight-line code become vectors only if `vectorize`.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                    bool vectorize);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_OPTIMIZELLVM_H
