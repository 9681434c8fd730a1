// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that only see the bytes of another value, and need no kernel.
#ifndef GRAPHC_LIB_LOWERING_VIEWS_H
#define GRAPHC_LIB_LOWERING_VIEWS_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// True for changes of shape, for barriers, and for slices that lie together,
/// are worth it, and begin where kernels may (a multiple of 64 bytes) in what a
/// kernel makes. Variables, feeds and what is received may lie elsewhere than
/// planned, so slices of them are copied.
bool isView(mlir::Operation *op);

/// In a lowered graph, where every slice is a view: the value whose bytes
/// `value` sees, and from which byte on.
struct View {
  mlir::Value storage;
  int64_t offset;
};
View viewOf(mlir::Value value);

/// viewOf(value).storage.
mlir::Value storageOf(mlir::Value value);

/// The values that must be there before `value` is looked at, beside its
/// storage: those that barriers on the way to it wait for.
llvm::SmallVector<mlir::Value> awaitedBy(mlir::Value value);

/// In a lowered graph: true for an op that reads no bytes of its operands.
bool readsNothing(mlir::Operation *op);

/// All values that are views of `storage`, itself included.
llvm::SmallVector<mlir::Value> viewsOf(mlir::Value storage);

} // namespace graphc

#endif
