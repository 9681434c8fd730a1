// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes the graphs of a tfir module op by op, in double precision: the
// reference with which compiled code is compared. It shares no code with the
// lowering, and derivatives come from forward differentiation instead of the
// rules that the compiler uses.
//
//   Interpreter interpreter(module, {.seed = 1});
//   if (failed(interpreter.initialize())) ...
//   auto fetches = interpreter.step("train", feeds);
#ifndef GRAPHC_LIB_INTERPRETER_INTERPRETER_H
#define GRAPHC_LIB_INTERPRETER_INTERPRETER_H

#include "lib/interpreter/Tensor.h"

#include "dialects/tfir/Tfir.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <map>
#include <optional>

namespace graphc::interpreter {

/// Gives the next batch of a dataset: a tensor per field with `rows` rows;
/// nothing at the end of the data.
using NextBatch = std::function<std::optional<std::vector<Tensor>>(
    llvm::StringRef dataset, int64_t rows)>;

/// Called with each result of each op once it is known, from the first op of a
/// step to the last; may replace it for the ops behind. Fails to end the step.
using Observer = std::function<mlir::LogicalResult(mlir::OpResult, Tensor &)>;

struct InterpreterOptions {
  uint64_t seed = 0; ///< of all random numbers, as SessionOptions::seed
  NextBatch nextBatch;
  /// Largest number of elements by which is differentiated: each costs one
  /// evaluation of what depends on it.
  int64_t maxDerivatives = 1 << 16;
  Observer observe; ///< null: nobody
};

/// The interpreter of one module, which must outlive it: of one that is in
/// phase parsed, differentiated, replicated or placed. Thread-safety: none.
class Interpreter {
public:
  Interpreter(mlir::ModuleOp module, InterpreterOptions options);

  /// Gives every variable its first value, as graph `init` does.
  mlir::LogicalResult initialize();

  /// Executes one step of a graph and returns its fetches, in order. Emits an
  /// error at the op where it cannot go on. An empty vector for a graph with
  /// fetches: the data ended.
  mlir::FailureOr<std::vector<Tensor>>
  step(llvm::StringRef graph, const llvm::StringMap<Tensor> &feeds);

  /// The value of a variable; null if there is none of that name.
  const Tensor *variable(llvm::StringRef name) const;
  void setVariable(llvm::StringRef name, Tensor value);
  /// All variables that have a value, by name.
  const std::map<std::string, Tensor> &variables() const { return values; }

private:
  friend class Frame;

  void declareAverages();
  void declareTraining(tfir::MinimizeOp minimize);
  std::string declare(const std::string &base, Tensor value);

  mlir::ModuleOp module;
  InterpreterOptions options;
  std::map<std::string, Tensor> values;
  llvm::StringMap<uint64_t> steps; ///< done, by graph
  /// The optimizer's own variables for each tfir.minimize and variable that it
  /// trains, as the compiler would name them.
  std::map<std::pair<mlir::Operation *, std::string>, std::vector<std::string>>
      slots;
  /// Other state of a tfir.minimize: the name of the variable by that which it has
  /// unless that is taken.
  std::map<std::pair<mlir::Operation *, std::string>, std::string> trainingState;
};

} // namespace graphc::interpreter

#endif
