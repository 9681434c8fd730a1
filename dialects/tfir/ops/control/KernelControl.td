// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interface of ops whose bodies run as often as the data tell. Apart from
// TfirInterfaces.td, since few files ask for it.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_CONTROL_KERNELCONTROL
#define GRAPHC_DIALECTS_TFIR_OPS_CONTROL_KERNELCONTROL

include "mlir/IR/OpBase.td"

def Tfir_KernelControl : OpInterface<"KernelControlInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Has bodies that data of the step choose or repeat: regions of one block that ends with
    tfir.yield, which use nothing from outside but their arguments. Every phase takes the op
    as one, with operands and results; it is lowered to one kernel, in which scf runs the
    bodies. So order, memory and transfers of a plan do not depend on what is chosen.

    - (C1) the bodies have only ops that compute values from values
    - (C2) no op of them has a device or a colocation of its own
  }];
  let methods = [
    InterfaceMethod<
      "Gives the arguments of the bodies the types that follow from the operands.",
      "void", "inferBodies", (ins)>,
    InterfaceMethod<
      [{Appends the type of each result. Emits an error and fails where the bodies do not
        fit.}],
      "::llvm::LogicalResult", "inferResults",
      (ins "::llvm::SmallVectorImpl<::mlir::Type> &":$types)>,
    InterfaceMethod<
      [{Builds the results by ops of scf from `operands`, which stand for the op's operands
        as signless tensors. `lower` builds the ops of a body at the insertion point of
        `builder`, from values for its arguments, and gives what it yields.}],
      "::llvm::SmallVector<::mlir::Value>", "lowerToScf",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands,
           "::graphc::tfir::LowerBody":$lower)>,
    InterfaceMethod<
      [{The op to write in place of this one where a gradient is wanted, for messages.}],
      "::llvm::StringRef", "differentiableForm", (ins)>];
  let verify = "return ::graphc::tfir::verifyKernelControl($_op);";
}

#endif
