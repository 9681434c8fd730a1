// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State that the builders of a module share.
#ifndef GRAPHC_LIB_TEXT_BUILD_SESSION_H
#define GRAPHC_LIB_TEXT_BUILD_SESSION_H

#include "lib/text/build/Item.h"
#include "lib/text/syntax/Diagnostics.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace graphc::text {

struct Session {
  Session(Diagnostics &diagnostics, mlir::Block *top)
      : diagnostics(diagnostics), builder(mlir::OpBuilder::atBlockEnd(top)) {}

  mlir::MLIRContext &context() const { return diagnostics.context; }

  /// Counts a piece of work of unrolled loops and funcs; false, with an error
  /// at `place`, once there is more than any program needs.
  bool countWork(const char *place);

  Diagnostics &diagnostics;
  mlir::OpBuilder builder; ///< at the end of the module
  llvm::StringMap<Item> globals;

  /// A variable declared inside a graph, which other graphs may declare again.
  struct Declaration {
    const Statement *statement;
    Item variable;
    mlir::Location location;
  };
  llvm::StringMap<Declaration> variables; ///< by symbol

private:
  static constexpr size_t kMaxWork = 20'000'000;
  size_t work = 0;
};

} // namespace graphc::text

#endif
