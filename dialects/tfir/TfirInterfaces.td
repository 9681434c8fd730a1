// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All per-op knowledge: a pass asks these interfaces and never the kind of op.
#ifndef GRAPHC_DIALECTS_TFIR_TFIRINTERFACES
#define GRAPHC_DIALECTS_TFIR_TFIRINTERFACES

include "mlir/IR/OpBase.td"

def NodeOpInterface : OpInterface<"NodeOpInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Carries the attributes that any op of a graph, a variable, or what becomes of
    them may have. All ops of tfir and of exec do. The attributes stay in the op's
    dictionary of discardable attributes; only NodeAttrs.cpp has their names.
    NodeAttrs.h has the methods as functions of any `Operation *`.

    Requests and places are texts in a source; once device scopes are flat, they
    are `#tfir.device`.

    - (C1) `name` is a string
    - (C2) `device` and `assigned_device` are devices, or texts
    - (C3) `colocate_with` is the name of an op or a variable, or a list of names
    - (C4) `replica`, `collective` and `level` are numbers (i64) from 0
    - (C5) `fallback` and `for_summary` have no value
  }];
  let methods = [
    InterfaceMethod<"Name of the op, as in TensorFlow's graphs; may be null.",
      "::mlir::StringAttr", "getNodeName", (ins), [{}],
      [{ return ::graphc::tfir::getNodeName($_op); }]>,
    InterfaceMethod<"Null removes it.", "void", "setNodeName", (ins "::mlir::StringAttr":$name),
      [{}], [{ ::graphc::tfir::setNodeName($_op, name); }]>,
    InterfaceMethod<
      "Requested device, full or partial; null without one that is parsed.",
      "::graphc::tfir::DeviceAttr", "getRequestedDevice", (ins), [{}],
      [{ return ::graphc::tfir::getRequestedDevice($_op); }]>,
    InterfaceMethod<"Null removes it.",
      "void", "setRequestedDevice", (ins "::graphc::tfir::DeviceAttr":$device),
      [{}], [{ ::graphc::tfir::setRequestedDevice($_op, device); }]>,
    InterfaceMethod<
      [{Name of the one op or variable whose device this one shares; null where
        there is none, or a list.}],
      "::mlir::StringAttr", "getColocation", (ins), [{}],
      [{ return ::graphc::tfir::getColocation($_op); }]>,
    InterfaceMethod<"Sets a name or a list of names; null removes it.",
      "void", "setColocation", (ins "::mlir::Attribute":$names),
      [{}], [{ ::graphc::tfir::setColocation($_op, names); }]>,
    InterfaceMethod<
      [{Device that the op or the variable is on, set by the user or by placement;
        null where it has none.}],
      "::graphc::tfir::DeviceAttr", "getAssignedDevice", (ins), [{}],
      [{ return ::graphc::tfir::getAssignedDevice($_op); }]>,
    InterfaceMethod<"Null removes it.", "void", "setAssignedDevice",
      (ins "::graphc::tfir::DeviceAttr":$device), [{}],
      [{ ::graphc::tfir::setAssignedDevice($_op, device); }]>,
    InterfaceMethod<
      "Index of the tower that the op belongs to; null on what all towers share.",
      "::mlir::IntegerAttr", "getTower", (ins), [{}],
      [{ return ::graphc::tfir::getTower($_op); }]>,
    InterfaceMethod<"Null removes it.", "void", "setTower", (ins "::mlir::IntegerAttr":$tower),
      [{}], [{ ::graphc::tfir::setTower($_op, tower); }]>,
    InterfaceMethod<"Id of the collective that the op is a part of; may be null.",
      "::mlir::IntegerAttr", "getCollective", (ins), [{}],
      [{ return ::graphc::tfir::getCollective($_op); }]>,
    InterfaceMethod<"Null removes it.", "void", "setCollective",
      (ins "::mlir::IntegerAttr":$collective), [{}],
      [{ ::graphc::tfir::setCollective($_op, collective); }]>,
    InterfaceMethod<
      [{True for an op whose only use is that tfir.all_reduce of its collective
        finds the sum where no library makes it.}],
      "bool", "isFallback", (ins), [{}],
      [{ return ::graphc::tfir::isFallback($_op); }]>,
    InterfaceMethod<
      [{Dependency depth that the op begins with, whatever it depends on; null
        where that follows from its operands. As `level` of tfir.recv.}],
      "::mlir::IntegerAttr", "getDependencyLevel", (ins), [{}],
      [{ return ::graphc::tfir::getDependencyLevel($_op); }]>,
    InterfaceMethod<"Null removes it.", "void", "setDependencyLevel",
      (ins "::mlir::IntegerAttr":$level), [{}],
      [{ ::graphc::tfir::setDependencyLevel($_op, level); }]>,
    StaticInterfaceMethod<
      [{Names of the attributes of this kind of op that only the compiler writes.
        Those of the interface are not among them.}],
      "::llvm::ArrayRef<::llvm::StringRef>", "getCompilerAttrNames", (ins), [{}],
      [{ return {}; }]>];
  let verify = "return ::graphc::tfir::verifyNode($_op);";
}

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
      [{True where the op, with these attributes, is short for others. An op
        that has code for some of its forms only is expanded in the others.}],
      "bool", "isShorthand", (ins), [{}], [{ return true; }]>,
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

def Tfir_Control : OpInterface<"ControlOpInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Has bodies: regions of one block that ends with tfir.yield. Once shapes are bound,
    tfir-expand-control writes the op out as the ops of its bodies, so that no later
    pass meets it.
  }];
  let methods = [
    InterfaceMethod<
      "Gives the arguments of the bodies the types that follow from the operands.",
      "void", "inferBodies", (ins)>,
    InterfaceMethod<
      [{Appends the type of each result, which follow from what the bodies yield. Emits
        an error and fails when they do not fit.}],
      "::llvm::LogicalResult", "inferResults",
      (ins "::llvm::SmallVectorImpl<::mlir::Type> &":$types)>,
    InterfaceMethod<
      [{Builds the values that replace the results; fails after a diagnostic. `copy`
        builds the ops of a body with values for its arguments, of which unused ones may
        be null, and returns what it yields; its last argument is the number of the
        step, -1 for a body that is there once.}],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "expand",
      (ins "::mlir::OpBuilder &":$builder, "::graphc::tfir::CopyBody":$copy)>];
  let verify = "return ::graphc::tfir::verifyControl($_op);";
}

#endif
