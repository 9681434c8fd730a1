// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes at computed places: rows of a tensor, and of a variable.
#ifndef GRAPHC_DIALECTS_TFIR_GATHER_TFIRSCATTEROPS
#define GRAPHC_DIALECTS_TFIR_GATHER_TFIRSCATTEROPS

include "dialects/tfir/TfirBase.td"

// Gives its first operand with other rows at places that are computed. Where the
// value takes the place of the old one, a target may write these rows alone; the op
// is in a kernel of its own.
def Tfir_UpdatesRows : NativeOpTrait<"UpdatesRows"> {
  let cppNamespace = "::graphc::tfir";
}
def Tfir_RowsTensor : RankedTensorOf<[F32, F64, I32, I64]>;

//===-- Values ------------------------------------------------------------===//

class Tfir_ScatterOp<string mnemonic, string formula, string meaning> :
    Tfir_ComputeOp<mnemonic,
    [Tfir_UpdatesRows,
     DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = formula;
  let description = meaning # [{ An index outside of the first dimension of `ref` changes
    nothing. All else is as in `ref`. It has no gradient.

    Assigned to the variable that `ref` was read from, it writes these slices alone, in
    place, if nothing needs the old value any more; a GPU passes over all of it. The value
    of a call has no effect on a variable: `tfir.assign_rows` does both.

    - (C1) `ref` has a dimension at least
    - (C2) `updates` has the shape of `indices`, followed by that of `ref` without its
      first dimension
    - (C3) at most 2^30 indices

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # [{ %x, %i, %rows
        : (tensor<100x16xf32>, tensor<8xi32>, tensor<8x16xf32>) -> tensor<100x16xf32>
    ```
  }];
  let arguments = (ins Tfir_RowsTensor:$ref, Tfir_IntTensor:$indices,
                       Tfir_RowsTensor:$updates);
  let results = (outs Tfir_RowsTensor:$output);
}

def Tfir_ScatterUpdateOp : Tfir_ScatterOp<"scatter_update",
    "a tensor with other slices at the indices along its first dimension", [{
    Slice `indices[i]` of the result is `updates[i]`; of equal indices the last one
    counts.}]>;

class Tfir_ScatterCombineOp<string mnemonic, string formula, string element> :
    Tfir_ScatterOp<mnemonic, formula, [{
    Slice `r = indices[i]` becomes `}] # element # [{`, for one i after the other, so that
    all updates of equal indices count, in their order, and the bits of the result are
    always the same.}]>;
def Tfir_ScatterAddOp : Tfir_ScatterCombineOp<"scatter_add",
    "a tensor with updates added to its slices at the indices",
    "ref[r] + updates[i]">;
def Tfir_ScatterSubOp : Tfir_ScatterCombineOp<"scatter_sub",
    "a tensor with updates subtracted from its slices at the indices",
    "ref[r] - updates[i]">;
def Tfir_ScatterMulOp : Tfir_ScatterCombineOp<"scatter_mul",
    "a tensor with its slices at the indices multiplied by updates",
    "ref[r] * updates[i]">;
def Tfir_ScatterDivOp : Tfir_ScatterCombineOp<"scatter_div",
    "a tensor with its slices at the indices divided by updates",
    "ref[r] / updates[i]">;
def Tfir_ScatterMinOp : Tfir_ScatterCombineOp<"scatter_min",
    "a tensor with the smaller ones of its slices at the indices and of updates",
    "min(ref[r], updates[i])">;
def Tfir_ScatterMaxOp : Tfir_ScatterCombineOp<"scatter_max",
    "a tensor with the larger ones of its slices at the indices and of updates",
    "max(ref[r], updates[i])">;

//===-- Variables ---------------------------------------------------------===//

def Tfir_AssignRowsOp : Tfir_Op<"assign_rows", [
    DeclareOpInterfaceMethods<Tfir_VariableAccess>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "updates slices of a variable at indices along its first dimension";
  let description = [{
    Assigns to the variable what `tfir.scatter_update` makes of it, or, as `combine` tells,
    `tfir.scatter_add`, `tfir.scatter_sub`, `tfir.scatter_mul`, `tfir.scatter_div`,
    `tfir.scatter_min` or `tfir.scatter_max`: of equal indices all count, in their order, or
    the last one of an "update"; an index outside of the variable changes nothing. Where
    nothing needs the old value, a CPU writes these slices alone.

    With `nd` the last dimension of `indices` has coordinates along the first dimensions of
    the variable, as TensorFlow's `scatter_nd_update` has them.

    In the text language a call stands for it whose first operand is the variable and whose
    value nobody takes: `scatter_add(w, indices, updates)`, `scatter_nd_update(w, ...)`.

    In towers that have other indices or updates each, what is added or subtracted is as an
    assignment by `tfir.assign_add` or `tfir.assign_sub`: the mean of floats, the sum of
    integers and of variables with `transient`. Of all others it is an error, since no row
    counts more than that of another tower.

    - (C1) the variable exists, and has a dimension at least
    - (C2) `updates` has the shape of `indices`, followed by that of the variable without
      its first dimension; with `nd`, the shape of `indices` without its last dimension,
      followed by that of the variable without the dimensions of coordinates
    - (C3) at most 2^30 indices
    - (C4) `combine` is "update", "add", "sub", "mul", "div", "min" or "max"

    Example:

    ```mlir
    tfir.assign_rows @w, %i, %rows {combine = "add"} : tensor<8xi32>, tensor<8x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, Tfir_IntTensor:$indices,
                       Tfir_RowsTensor:$updates,
                       DefaultValuedAttr<StrAttr, "\"update\"">:$combine, UnitAttr:$nd);
  let assemblyFormat = [{
    $variable `,` $indices `,` $updates attr-dict `:` type($indices) `,` type($updates)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Fails after an error when indices or updates do not fit a variable of `type`.
    ::mlir::LogicalResult verifyVariable(::mlir::RankedTensorType type);
    /// The next value of the variable, by tfir.scatter_update and its like.
    ::mlir::Value buildValue(::mlir::OpBuilder &builder, ::mlir::Value old);
    /// True for "add" and "sub".
    bool isSum() { return getCombine() == "add" || getCombine() == "sub"; }
    /// The updates summed by slice, in the shape of a variable of `type`.
    ::mlir::Value buildSum(::mlir::OpBuilder &builder, ::mlir::RankedTensorType type);
  }];
}

#endif
