// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From LLVM IR to an object file.
#ifndef GRAPHC_LIB_CODEGEN_OPTIMIZELLVM_H
#define GRAPHC_LIB_CODEGEN_OPTIMIZELLVM_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace graphc {

/// Optimises `module` for the x86-64 level `isa` ("x86-64-v3", "x86-64-v4") and
/// returns its object file. Same module, same bytes. Thread-safe for modules of
/// different LLVMContexts.
llvm::Expected<llvm::SmallVector<char, 0>> compileObject(llvm::Module &module,
                                                         llvm::StringRef isa);

/// LLVM's -O3 for the target of `machine`, without library functions. Loops and
/// straight-line code become vectors only if `vectorize`.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                    bool vectorize);

} // namespace graphc

#endif // GRAPHC_LIB_CODEGEN_OPTIMIZELLVM_H
