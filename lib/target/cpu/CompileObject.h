// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Object files of x86-64 kernels, from LLVM IR.
#ifndef GRAPHC_LIB_TARGET_CPU_COMPILEOBJECT_H
#define GRAPHC_LIB_TARGET_CPU_COMPILEOBJECT_H

#include "graphc/Choices.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace graphc {

/// Compiles modules one after the other, on one thread: many kernels share the
/// description of a level, and the passes that make its code.
class ObjectCompiler {
public:
  ObjectCompiler();
  ~ObjectCompiler();

  /// Optimises `module` for the x86-64 level `isa` ("x86-64-v3", "x86-64-v4")
  /// and returns its object file. Same module, same bytes, whatever was
  /// compiled before.
  llvm::Expected<llvm::SmallVector<char, 0>>
  compile(llvm::Module &module, llvm::StringRef isa, OptLevel optLevel);

private:
  class Level;
  llvm::StringMap<std::unique_ptr<Level>> levels; ///< by `isa` and `optLevel`
};

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_COMPILEOBJECT_H
