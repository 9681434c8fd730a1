// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of the ops that stood in a tfir.recompute, among the gradients:
//
//   %h = tfir.tanh %x {tfir.recompute = 0}   ...   its users, their gradients
//     -> %b = tfir.optimization_barrier %x, %dh
//        %h2 = tfir.tanh %b                    the gradient of tanh reads %h2
#ifndef GRAPHC_LIB_AUTODIFF_RECOMPUTE_H
#define GRAPHC_LIB_AUTODIFF_RECOMPUTE_H

#include "lib/autodiff/DerivedOps.h"

#include "mlir/IR/IRMapping.h"

namespace graphc {

/// Makes the copies for one run of backpropagation. Not thread-safe.
class Recompute {
public:
  /// Ops above `at` are copied, by `builder`, whose listener is `derived`.
  Recompute(mlir::Operation *at, DerivedOps &derived, mlir::OpBuilder &builder)
      : at(at), derived(derived), builder(builder) {}

  /// The op whose values the gradient of `op` reads: its copy, if it is one
  /// that is computed again, else `op` itself. The first call for an op of a
  /// body copies all of the body, after `gradient`, one of a result of `op`.
  /// Copies without users are left to dead code elimination.
  mlir::Operation *copyOf(mlir::Operation *op, mlir::Value gradient);

private:
  void collect();
  void copyBody(int64_t body, mlir::Value gradient);

  mlir::Operation *at;
  DerivedOps &derived;
  mlir::OpBuilder &builder;
  bool isCollected = false;
  /// The ops of each body, in order; taken away when it is copied.
  llvm::DenseMap<int64_t, llvm::SmallVector<mlir::Operation *>> bodies;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> copies;
};

} // namespace graphc

#endif
