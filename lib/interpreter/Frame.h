// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The execution of one step of one graph, and the table of the ops that it
// knows.
#ifndef GRAPHC_LIB_INTERPRETER_FRAME_H
#define GRAPHC_LIB_INTERPRETER_FRAME_H

#include "lib/interpreter/FloatMath.h"
#include "lib/interpreter/Interpreter.h"

#include "llvm/ADT/SetVector.h"

namespace graphc::interpreter {

class Frame;

/// Executes one op: reads operands from the frame and gives it the results.
using OpFunction =
    std::function<mlir::LogicalResult(mlir::Operation *, Frame &)>;

/// The reference of every op, by name. A new op gets an entry in the file of
/// its family; test/lib/interpreter/coverage.test names ops without one.
class OpTable {
public:
  static const OpTable &get();

  const OpFunction *find(llvm::StringRef op) const;

  template <typename Op, typename Function> void add(Function function) {
    functions[Op::getOperationName()] = [function](mlir::Operation *op,
                                                   Frame &frame) {
      return function(llvm::cast<Op>(op), frame);
    };
  }

private:
  llvm::StringMap<OpFunction> functions;
};

// The families of ops.
void addElementwiseOps(OpTable &table);
void addScalarOps(OpTable &table);
void addActivationOps(OpTable &table);
void addShapeOps(OpTable &table);
void addMatrixOps(OpTable &table);
void addSpatialOps(OpTable &table);
void addAggregateOps(OpTable &table);
void addArrayOps(OpTable &table);
void addColumnOps(OpTable &table);
void addEinsumOps(OpTable &table);
void addFeatureOps(OpTable &table);
void addGatherOps(OpTable &table);
void addImageOps(OpTable &table);
void addLinearOps(OpTable &table);
void addControlOps(OpTable &table);
void addConvOps(OpTable &table);
void addReductionOps(OpTable &table);
void addLossOps(OpTable &table);
void addNormOps(OpTable &table);
void addProductOps(OpTable &table);
void addPoolOps(OpTable &table);
void addPoolingOps(OpTable &table);
void addSoftmaxOps(OpTable &table);
void addRandomOps(OpTable &table);
void addRecurrentOps(OpTable &table);
void addSpectralOps(OpTable &table);
void addStateOps(OpTable &table);
void addTrainingOps(OpTable &table);

/// One step of one graph. Thread-safety: none.
class Frame {
public:
  Frame(Interpreter &owner, tfir::GraphOp graph, uint64_t step);

  mlir::LogicalResult run(const llvm::StringMap<Tensor> &feeds);

  const Tensor &get(mlir::Value value) const {
    return values.find(value)->second;
  }
  bool has(mlir::Value value) const { return values.contains(value); }
  void set(mlir::Value value, Tensor tensor) {
    values.insert_or_assign(value, std::move(tensor));
  }
  /// Sets the one result from elements in row-major order.
  void setElements(mlir::Value result, std::vector<Element> elements);

  mlir::LogicalResult execute(mlir::Operation *op);

  Tensor &variable(llvm::StringRef name) { return owner.values[name.str()]; }
  bool hasVariable(llvm::StringRef name) const {
    return owner.values.count(name.str());
  }
  const InterpreterOptions &options() const { return owner.options; }
  mlir::ModuleOp module() const { return owner.module; }
  uint64_t step() const { return stepNumber; }
  /// The training steps that were done when this step began.
  int64_t globalStep() const { return globalStepAtStart; }
  /// The names of the optimizer's own variables.
  llvm::ArrayRef<std::string> slotsOf(tfir::MinimizeOp minimize,
                                      llvm::StringRef variable) const {
    return owner.slots.at({minimize.getOperation(), variable.str()});
  }

  /// State of a training beside variables and their slots.
  Tensor &trainingState(tfir::MinimizeOp minimize, llvm::StringRef name) {
    return variable(
        owner.trainingState.at({minimize.getOperation(), name.str()}));
  }

  bool dataEnded = false;
  /// Variables that tfir.minimize has trained so far, for tfir.ema.
  llvm::SetVector<mlir::StringAttr> trained;

private:
  void roundHalves(mlir::Operation *op);

  Interpreter &owner;
  tfir::GraphOp graph;
  uint64_t stepNumber;
  int64_t globalStepAtStart = 0;
  llvm::DenseMap<mlir::Value, Tensor> values;
};

/// Values that move together when one is differentiated by them: the reads of
/// one variable.
using Reads = llvm::SmallVector<mlir::Value, 2>;

/// True if y has a gradient by any of the values: a way over ops that pass
/// gradients.
bool hasGradient(mlir::Operation *at, mlir::Value y, const Reads &reads);

/// The derivative of the sum of y's elements by each element of the values, by
/// following one element after the other forward. Emits an error on `at` and
/// fails if there are too many, or for a second derivative.
mlir::FailureOr<Tensor> differentiate(Frame &frame, mlir::Operation *at,
                                      mlir::Value y, const Reads &reads);

/// The reads above a tfir.minimize of each variable that it may train, in
/// order.
llvm::MapVector<mlir::StringAttr, Reads>
trainableReads(tfir::MinimizeOp minimize, mlir::ModuleOp module);

/// First values of the variables that an optimizer keeps beside each variable,
/// and of those that all variables share (powers of Adam), with their names.
std::vector<double> slotValues(mlir::Attribute optimizer);
std::vector<std::pair<std::string, double>>
sharedValues(mlir::Attribute optimizer);
/// As in the names of slots: `w/Momentum`.
llvm::StringRef slotName(mlir::Attribute optimizer);

/// Moves the averages of the trained variables: the end of a step with
/// tfir.ema.
void updateAverages(tfir::EmaOp ema, Frame &frame);

/// A random tensor of [0, 1), element by element as tfir.philox_uniform is
/// specified.
Tensor philoxUniform(mlir::RankedTensorType type, uint64_t seed, uint64_t step,
                     uint32_t replica, uint32_t stream);

/// First values of a variable of that name.
Tensor initialValue(tfir::VariableOp variable, llvm::StringRef name,
                    uint64_t seed);

/// The learning rate of a step, as compiled code computes it.
Element rateOf(mlir::Attribute optimizer, int64_t globalStep);
/// The optimizer for a variable whose weights do not decay.
mlir::Attribute withoutDecay(mlir::Attribute optimizer);

/// Applies an optimizer; slots are the tensors beside the variable, in the
/// order of tfir.apply, powers of Adam last.
void applyOptimizer(mlir::Attribute optimizer, Tensor &variable,
                    const Tensor &gradient, const Element &rate,
                    llvm::ArrayRef<Tensor *> slots);

} // namespace graphc::interpreter

#endif
