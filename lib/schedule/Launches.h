// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Analysis of the launches of a graph for scheduling: the storage of values,
// the order of launches, and the kernels that may write a variable in place.
#ifndef GRAPHC_LIB_SCHEDULE_LAUNCHES_H
#define GRAPHC_LIB_SCHEDULE_LAUNCHES_H

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace graphc {

/// Execution of one assignment.
struct Assignment {
  tfir::AssignOp op;
  mlir::Value value;                    ///< the storage that is assigned
  bool inPlace = false;                 ///< the value's place is the variable
  std::optional<unsigned> overArgument; ///< the argument it is written over
};

/// An op that becomes an instruction: a launch, tfir.next, tfir.send, tfir.recv
/// or tfir.all_reduce.
struct StepNode {
  mlir::Operation *op;
  unsigned program;                          ///< whose graph it is in
  llvm::SetVector<mlir::Operation *> before; ///< what must come before it
};

/// The instructions of all programs of one graph, the dependencies between
/// them, and the assignments.
class StepGraph {
public:
  /// REQUIRES: the graphs, one per program, hold launches, state, transfers and
  /// reshapes only; reads stand for the values before the step, assigns are the
  /// last ops.
  StepGraph(llvm::ArrayRef<tfir::GraphOp> graphs, mlir::ModuleOp kernels);

  /// Finds the dependencies, decides about writing in place and marks kernels
  /// accordingly (exec.inplace). Fails, after an error, when a transfer has
  /// only one end.
  mlir::LogicalResult build();

  unsigned programs() const { return graphs.size(); }
  tfir::GraphOp graphOf(unsigned program) const { return graphs[program]; }
  mlir::func::FuncOp kernelOf(exec::LaunchOp launch);
  /// Program after program, each in the order of its graph.
  llvm::ArrayRef<StepNode> nodes() const { return all; }
  /// Adds a dependency; false when it is there already.
  bool addBefore(unsigned node, unsigned before) {
    return all[node].before.insert(all[before].op);
  }
  void removeBefore(unsigned node, unsigned before) {
    all[node].before.remove(all[before].op);
  }
  /// The number of a node's op.
  unsigned numberOf(mlir::Operation *op) const { return numbers.lookup(op); }
  llvm::ArrayRef<Assignment> assignments(unsigned program) const {
    return assigns[program];
  }
  /// The assignment that gives `storage` the place of a variable.
  const Assignment *inPlaceOf(mlir::Value storage) const;
  /// True when the storage of the sum that the program makes can be that of the
  /// result: nothing else needs its bytes.
  bool isInPlace(tfir::AllReduceOp reduce) const;

private:
  void addNodes(unsigned program);
  mlir::LogicalResult connectTransfers();
  void decide(unsigned program, Assignment &assignment);
  bool reaches(mlir::Operation *from, mlir::Operation *to);
  bool isSentOn(mlir::Operation *from);
  void overwriteParts();
  bool overwrite(exec::LaunchOp launch, unsigned result, unsigned operand);
  void connectAllReduces();
  void markKernels();

  llvm::SmallVector<tfir::GraphOp> graphs;
  mlir::ModuleOp kernelModule;
  mlir::SymbolTable kernels;
  std::vector<StepNode> all;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<llvm::SmallVector<Assignment, 0>> assigns; ///< by program
  /// The place of each in `assigns`.
  llvm::DenseMap<mlir::Value, std::pair<unsigned, unsigned>> inPlace;
  /// By program and variable.
  std::vector<llvm::DenseMap<mlir::Attribute, tfir::ReadOp>> reads;
  /// Results that a launch writes over its arguments, in pairs.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<int64_t>> written;
};

/// True when the kernel reads argument `index` only where it writes result
/// `result`, element by element, or keeps an order in which that does not
/// matter.
bool canWriteOver(mlir::func::FuncOp kernel, unsigned index, unsigned result);

} // namespace graphc

#endif
