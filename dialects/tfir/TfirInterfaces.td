// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All per-op knowledge: a pass asks these interfaces and never the kind of op.
#ifndef GRAPHC_DIALECTS_TFIR_TFIRINTERFACES
#define GRAPHC_DIALECTS_TFIR_TFIRINTERFACES

include "mlir/IR/OpBase.td"

def TypeInferable : OpInterface<"TypeInferable"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    The types of the results follow from the operands and attributes. The
    verifier compares them with the written ones, and binding `?` dimensions
    computes them anew from the top of a graph to its end.
  }];
  let methods = [
    InterfaceMethod<
      [{Appends the type of each result. Emits an error on the op and fails when
        the operands do not fit. A dimension that is not known yet stays `?`.}],
      "::llvm::LogicalResult", "inferTypes",
      (ins "::llvm::SmallVectorImpl<::mlir::Type> &":$types)>];
  let verify = "return ::graphc::tfir::verifyInferredTypes($_op);";
}

def Differentiable : OpInterface<"Differentiable"> {
  let cppNamespace = "::graphc::tfir";
  let description = "Has a gradient.";
  let methods = [
    InterfaceMethod<
      [{Builds the gradient of each operand from the gradients of the results.
        A null result gradient is zero; leave null what has no gradient. One
        entry per operand in `operandGradients`, all null on entry.}],
      "::llvm::LogicalResult", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder,
           "::mlir::ValueRange":$resultGradients,
           "::llvm::MutableArrayRef<::mlir::Value>":$operandGradients)>];
}

def Placeable : OpInterface<"Placeable"> {
  let cppNamespace = "::graphc::tfir";
  let description = "Knows which kinds of device have a kernel for it.";
  let methods = [
    InterfaceMethod<
      "The kinds of device that can run this op with these types, best first.",
      "::llvm::SmallVector<::llvm::StringRef>", "deviceKinds", (ins),
      [{}], [{ return {"GPU", "CPU"}; }]>];
}

def Decomposable : OpInterface<"Decomposable"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Is a short way to write other tfir ops; expanded before differentiation.
  }];
  let methods = [
    InterfaceMethod<
      "Builds the values that replace the results; fails after a diagnostic.",
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
      (ins "::mlir::OpBuilder &":$builder)>];
}

def Lowerable : OpInterface<"Lowerable"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Has code, as linalg on tensors. Elementwise ops and contractions have
    interfaces of their own and need not implement this one.
  }];
  let methods = [
    InterfaceMethod<
      [{Builds the results from `operands`, which stand for the op's operands as
        signless tensors (see lowerType).}],
      "::llvm::SmallVector<::mlir::Value>", "lowerToLinalg",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>,
    InterfaceMethod<
      [{True when the code reads its operands at places other than its own, so
        that they must be whole tensors in memory before it starts.}],
      "bool", "gathersOperands", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      [{True when row i (along the first dimension) of each result follows from
        row i of the operands, so that rows can be computed one by one.}],
      "bool", "keepsRows", (ins), [{}], [{ return true; }]>];
}

def Tfir_Elementwise : OpInterface<"Elementwise"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Each element of the one result follows from the elements of the operands at
    the same place, broadcast as numpy does.
  }];
  let methods = [
    InterfaceMethod<
      [{Builds the function of one element from the operands' elements, with ops
        of the arith and math dialects. `index` gives the element's place in the
        flattened result; most ops do not ask for it.}],
      "::mlir::Value", "buildScalar",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$operands,
           "::llvm::function_ref<::graphc::tfir::FlatIndex()>":$index)>,
    InterfaceMethod<
      [{True when computing the result again costs less than storing it, as for
        random numbers made from a counter.}],
      "bool", "isCheapToRecompute", (ins), [{}], [{ return false; }]>];
}

#endif
