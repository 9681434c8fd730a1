// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of ops that passes ask for, in place of a list of ops in each.
#ifndef GRAPHC_DIALECTS_TFIR_TFIRPROPERTIES
#define GRAPHC_DIALECTS_TFIR_TFIRPROPERTIES

include "mlir/IR/OpBase.td"

class Tfir_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::graphc::tfir";
}

// Costs nothing to compute: partition copies the op to each device that uses its
// results, in place of sending them, and placement gives it no time.
def Tfir_Rematerializable : Tfir_Trait<"Rematerializable">;

// Is executed by the runtime between kernels: an op behind it does not join the
// kernels that it waits for.
def Tfir_KernelBarrier : Tfir_Trait<"KernelBarrier">;

// Brings values into a partition or out of it, without a kernel: transfers, and
// takes of batches. A step does it as early as it can.
def Tfir_MovesValues : Tfir_Trait<"MovesValues">;

// Makes NaN or infinity of floats that are neither large nor small, so that
// kernels are named by it for errors about such results.
def Tfir_MakesNonFinite : Tfir_Trait<"MakesNonFinite">;

// Moves elements from its operands to its results and computes nothing with them,
// so that it has code for any element type.
def Tfir_MovesElements : Tfir_Trait<"MovesElements">;

// Stands for derivatives and updates that differentiation writes out.
def Tfir_ReplacedByGradients : Tfir_Trait<"ReplacedByGradients">;

def Tfir_RandomSource : OpInterface<"RandomSource"> {
  let cppNamespace = "::graphc::tfir";
  let description = "Draws from a stream of random numbers.";
  let methods = [
    InterfaceMethod<
      "Returns the seed of the stream; without it, the op's name gives one.",
      "std::optional<uint64_t>", "getStreamSeed", (ins),
      [{ return $_op.getSeed(); }]>];
}

def Tfir_Summary : OpInterface<"SummaryOpInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Shows its operands, which become fetches of the graph (tfir-collect-summaries).
  }];
  let methods = [
    InterfaceMethod<"Returns the name that the values are shown by.",
      "::llvm::StringRef", "getSummaryTag", (ins), [{}], [{ return $_op.getTag(); }]>,
    InterfaceMethod<
      [{Returns the #tfir.summary of the op with another tag, its operands being
        the graph's fetches from `fetch` on.}],
      "::mlir::Attribute", "getSummaryAttr",
      (ins "::mlir::StringAttr":$tag, "int64_t":$fetch)>];
}

def Tfir_VariableAccess : OpInterface<"VariableAccess"> {
  let cppNamespace = "::graphc::tfir";
  let description = "Reads or updates variables, or does both.";
  let methods = [
    InterfaceMethod<
      "Returns the variables, those that are updated before the others.",
      "::llvm::SmallVector<::mlir::FlatSymbolRefAttr>", "getVariables", (ins)>,
    InterfaceMethod<
      "Replaces the variables, in the order of getVariables.",
      "void", "setVariables",
      (ins "::llvm::ArrayRef<::mlir::FlatSymbolRefAttr>":$variables)>,
    InterfaceMethod<
      "Returns how many of the variables are updated.",
      "size_t", "getNumUpdated", (ins),
      [{}], [{ return $_op.getVariables().size(); }]>,
    InterfaceMethod<
      [{Returns true for an update that tfir-expand-state writes as reads,
        arithmetic and assignments.}],
      "bool", "isCompoundUpdate", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<
      [{Returns true for an update that adds its operand to a variable or subtracts
        it, so that the updates of several devices are one by the sum.}],
      "bool", "isAccumulation", (ins), [{}], [{ return false; }]>];
  let extraSharedClassDeclaration = [{
    /// True for ops that update variables.
    bool isUpdate() { return $_op.getNumUpdated() != 0; }
  }];
}

#endif
