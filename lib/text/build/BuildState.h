// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State that the builders of a module share.
#ifndef GRAPHC_LIB_TEXT_BUILD_BUILDSTATE_H
#define GRAPHC_LIB_TEXT_BUILD_BUILDSTATE_H

#include "lib/text/Observer.h"
#include "lib/text/build/Item.h"
#include "lib/text/library/Library.h"
#include "lib/text/syntax/Diagnostics.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace graphc::text {

struct BuildState {
  BuildState(Diagnostics &diagnostics, mlir::Block *top, size_t maxWork)
      : diagnostics(diagnostics), builder(mlir::OpBuilder::atBlockEnd(top)),
        maxWork(maxWork) {}

  mlir::MLIRContext &context() const { return diagnostics.context; }

  /// The most elements, or characters, that a constant may have.
  static constexpr size_t kMaxConstant = size_t(1) << 19;

  /// Counts a piece of work of unrolled loops and funcs; false, with an error
  /// at `place`, once there is more than any program needs.
  bool countWork(const char *place, size_t amount = 1);

  /// Creates an operation whose attributes are of the right kinds. Null, with
  /// an error at its place, where one is not.
  mlir::Operation *create(mlir::OpBuilder &builder,
                          mlir::OperationState &state);

  Diagnostics &diagnostics;
  mlir::OpBuilder builder; ///< at the end of the module
  Observer *observer = nullptr;
  llvm::StringMap<Item> globals;
  Library library;

  /// Tells the observer, if there is one.
  void observeName(const char *place, const Item &item) {
    if (observer)
      observer->observeName(place, item);
  }

  /// A variable declared inside a graph, which other graphs may declare again.
  struct Declaration {
    const TextStatement *statement;
    Item variable;
    mlir::Location location;
  };
  llvm::StringMap<Declaration> variables; ///< by symbol

private:
  size_t maxWork, work = 0;
};

} // namespace graphc::text

#endif
