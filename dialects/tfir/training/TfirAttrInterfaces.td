// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interfaces of optimizers, learning rates, initial values and transforms.
#ifndef GRAPHC_DIALECTS_TFIR_TRAINING_TFIRATTRINTERFACES
#define GRAPHC_DIALECTS_TFIR_TRAINING_TFIRATTRINTERFACES

include "mlir/IR/OpBase.td"

def Tfir_Optimizer : AttrInterface<"OptimizerAttrInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Is the rule by which `tfir.minimize` updates variables. The interpreter has
    the rules once more, on purpose.
  }];
  let methods = [
    InterfaceMethod<
      "Returns TensorFlow's name, as in the names of slots: `w/Momentum`.",
      "::llvm::StringRef", "getOptimizerName", (ins)>,
    InterfaceMethod<
      "Returns the rate: a number as f64 attribute, or a schedule.",
      "::mlir::Attribute", "getRate", (ins),
      [{ return $_attr.getLearningRate(); }]>,
    InterfaceMethod<
      [{Returns the initial value of each slot, a variable of the same type beside
        each variable that is trained.}],
      "::llvm::SmallVector<double>", "getSlotValues", (ins),
      [{}], [{ return {}; }]>,
    InterfaceMethod<
      "Returns the powers that all variables share.",
      "::llvm::SmallVector<::graphc::tfir::SharedPower>", "getSharedPowers", (ins),
      [{}], [{ return {}; }]>,
    InterfaceMethod<
      [{Returns the optimizer for a variable whose weights do not decay, which
        'decay_variables' of tfir.minimize leaves out.}],
      "::mlir::Attribute", "withoutDecay", (ins), [{}], [{ return $_attr; }]>,
    InterfaceMethod<
      [{Builds scalars that all variables of a type share, from the rate of the step
        and the values of the shared powers.}],
      "::llvm::SmallVector<::mlir::Value>", "buildShared",
      (ins "::graphc::tfir::Arithmetic &":$a, "::mlir::Value":$rate,
           "::mlir::ValueRange":$powers),
      [{}], [{ (void)a, (void)powers; return {rate}; }]>,
    InterfaceMethod<
      [{Builds one step of variable `w` with the gradient `g`, the shared scalars in
        the type of `w` and the old values of the slots.}],
      "::graphc::tfir::OptimizerUpdate", "buildUpdate",
      (ins "::graphc::tfir::Arithmetic &":$a, "::mlir::Value":$w,
           "::mlir::Value":$g, "::mlir::ValueRange":$shared,
           "::mlir::ValueRange":$slots)>];
}

def Tfir_Schedule : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = "Is a learning rate that follows from the global step.";
  let methods = [
    InterfaceMethod<
      "Returns the scope in which its ops are named.",
      "::llvm::StringRef", "getScheduleName", (ins)>,
    InterfaceMethod<
      [{Builds the rate of a step, an f32 scalar. `step`: the global step at its
        start, as f32.}],
      "::mlir::Value", "buildRate",
      (ins "::graphc::tfir::Arithmetic &":$a, "::mlir::Value":$step)>];
}

def Tfir_InitialValue : AttrInterface<"InitialValueAttrInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Gives a variable its initial value. Dense constants stand for themselves and
    have no interface.
  }];
  let methods = [
    InterfaceMethod<
      "Builds the initial value of a variable of this type.",
      "::mlir::Value", "buildInitialValue",
      (ins "::mlir::OpBuilder &":$b, "::mlir::Location":$loc,
           "::mlir::RankedTensorType":$type)>,
    InterfaceMethod<
      "Returns true for values from a stream of random numbers, which are f32.",
      "bool", "isRandom", (ins), [{}], [{ return true; }]>];
}

def Tfir_Transform : AttrInterface<"TransformAttrInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Changes a field of each example of a dataset. The runtime does it and knows the
    names and numbers; the type that files hold follows from the field's.
  }];
  let methods = [
    InterfaceMethod<
      "Returns the field that it changes.",
      "::llvm::StringRef", "getFieldName", (ins), [{}],
      [{ return $_attr.getField().getValue(); }]>,
    InterfaceMethod<
      "Returns the name by which the runtime knows it.",
      "::llvm::StringRef", "getTransformName", (ins), [{}],
      [{ return ConcreteAttr::getMnemonic(); }]>,
    InterfaceMethod<
      "Returns its numbers, in the order of the runtime.",
      "::llvm::SmallVector<double>", "getNumbers", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<
      [{Returns the type of an example before it, of which it makes one of type
        `made`, or fails with an error.}],
      "::mlir::FailureOr<::mlir::RankedTensorType>", "getSourceType",
      (ins "::mlir::RankedTensorType":$made,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError),
      [{}], [{ return ::graphc::tfir::imageType(made, emitError); }]>];
}

#endif
