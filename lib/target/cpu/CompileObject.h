// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Object files of x86-64 kernels, from LLVM IR.
#ifndef GRAPHC_LIB_TARGET_CPU_COMPILEOBJECT_H
#define GRAPHC_LIB_TARGET_CPU_COMPILEOBJECT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace graphc {

/// Optimises `module` for the x86-64 level `isa` ("x86-64-v3", "x86-64-v4") and
/// returns its object file. Same module, same bytes. Thread-safe for modules of
/// different LLVMContexts.
llvm::Expected<llvm::SmallVector<char, 0>> compileObject(llvm::Module &module,
                                                         llvm::StringRef isa);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_COMPILEOBJECT_H
