// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What scheduling needs to know of the launches of a graph: where values really
// live, and which kernels may write a variable in place.
#ifndef GRAPHC_LIB_SCHEDULE_LAUNCHES_H
#define GRAPHC_LIB_SCHEDULE_LAUNCHES_H

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace graphc {

/// The value whose bytes `value` is a view of.
mlir::Value storageOf(mlir::Value value);

/// All values that are views of `storage`, itself included.
llvm::SmallVector<mlir::Value> viewsOf(mlir::Value storage);

/// How one assignment is carried out.
struct Assignment {
  tfir::AssignOp op;
  mlir::Value value;                    ///< the storage that is assigned
  bool inPlace = false;                 ///< the value's place is the variable
  std::optional<unsigned> overArgument; ///< the argument it is written over
};

/// The order of a graph's ops as instructions, and its assignments.
class ProgramOrder {
public:
  /// REQUIRES: the graph holds launches, state and reshapes only; reads stand
  /// for the values before the step, assigns are the last ops. Decides about
  /// writing in place and marks kernels accordingly (kInPlace).
  ProgramOrder(tfir::GraphOp graph, mlir::ModuleOp kernels);

  /// Launches and tfir.next in the order of execution.
  llvm::ArrayRef<mlir::Operation *> instructions() const { return order; }
  llvm::ArrayRef<Assignment> assignments() const { return assigns; }
  /// The assignment that gives `storage` the place of a variable.
  const Assignment *inPlaceOf(mlir::Value storage) const;

private:
  void decide(Assignment &assignment);
  bool reaches(mlir::Operation *from, mlir::Operation *to);
  mlir::func::FuncOp kernelOf(exec::LaunchOp launch);
  void sort();

  tfir::GraphOp graph;
  mlir::SymbolTable kernels;
  llvm::SmallVector<mlir::Operation *> nodes; ///< in the order of the graph
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<mlir::Operation *>> after;
  llvm::SmallVector<mlir::Operation *> order;
  llvm::SmallVector<Assignment> assigns;
};

} // namespace graphc

#endif
