// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow within a graph.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_CONTROL_TFIRCONTROLOPS
#define GRAPHC_DIALECTS_TFIR_OPS_CONTROL_TFIRCONTROLOPS

include "dialects/tfir/TfirBase.td"

def Tfir_BoolScalar :
    Type<And<[Tfir_BoolTensor.predicate, HasAnyRankOfPred<[0]>]>, "a bool scalar",
         "::mlir::RankedTensorType">;

def Tfir_ScanOp : Tfir_Op<"scan",
    [SingleBlockImplicitTerminator<"YieldOp">, AttrSizedOperandSegments,
     DeclareOpInterfaceMethods<Tfir_Control>]> {
  let summary = "a loop of a known number of steps";
  let description = [{
    The body is done once per step, in order. Its arguments are the number of the step,
    from 0, as an i32; a slice of each of `inputs`, whose first dimension is divided into
    the steps; and the carried values, which are `inits` in the first step and what the
    step before yielded in all others. `tfir.yield` gives the next carried values, then
    outputs. The results are the last carried values, and each output of all steps,
    stacked along a new first dimension. What is computed outside may be used inside.

    Without `inputs`, `steps` is the number of steps. With carried values only it is a
    counted `tf.while_loop`, with inputs and outputs only `tf.map_fn`, with all of them
    `tf.scan`, of which an output of each step is kept, and `tf.nn.dynamic_rnn`.

    Variables are read and updated in the order of the steps. Draws of random numbers
    differ from step to step. The compiler writes the loop out (tfir-expand-control), so
    that it has the gradient of its body, for which the values of all steps are kept;
    kernels that are equal in all steps are compiled once. In the text language it is
    `for x in scan(xs, carry=[h], stack=[y]) { }`, or `for i in repeat(8, carry=[h]) { }`.

    - (C1) `steps`, at least 1, or inputs, not both
    - (C2) inputs have a first dimension, all of one size, at least 1
    - (C3) the arguments of the body are an i32, slices of the inputs, carried values
    - (C4) the body yields the carried values, of their types, and the outputs; the
      results are these
    - (C5) the body has no summary, and no op that trains

    Example:

    ```mlir
    %h, %hs = tfir.scan over(%xs) carry(%h0)
        : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    ^bb0(%i: tensor<i32>, %x: tensor<4xf32>, %s: tensor<4xf32>):
      %a = tfir.add %x, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %t = tfir.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
      tfir.yield %t, %t : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$steps,
                       Variadic<Tfir_NumberOrBoolTensor>:$inputs,
                       Variadic<Tfir_NumberOrBoolTensor>:$inits);
  let results = (outs Variadic<Tfir_NumberOrBoolTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`steps` $steps^)? (`over` `(` $inputs^ `)`)? (`carry` `(` $inits^ `)`)?
    attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    /// The number of steps; ShapedType::kDynamic where the inputs do not tell it yet.
    int64_t countSteps();
    /// Arguments of the body.
    ::mlir::BlockArgument getNumber() { return getBlock().getArgument(0); }
    ::mlir::Block::BlockArgListType getSlices() {
      return getBlock().getArguments().slice(1, getInputs().size());
    }
    ::mlir::Block::BlockArgListType getCarried() {
      return getBlock().getArguments().drop_front(1 + getInputs().size());
    }
    /// Appends the types of the arguments of the body.
    void argumentTypes(::llvm::SmallVectorImpl<::mlir::Type> &types);
  }];
}

def Tfir_IfOp : Tfir_Op<"if",
    [SingleBlockImplicitTerminator<"YieldOp">,
     DeclareOpInterfaceMethods<Tfir_Control>]> {
  let summary = "what one of two bodies yields, by a condition";
  let description = [{
    The first body where the condition holds, the second where it does not. Both are
    computed in each step, and the results are chosen (tfir-expand-control): what is
    saved by a condition is the text of two bodies, not the time of one. Nothing of the body
    that is not taken is seen: neither a NaN of its values nor one of its gradients, which
    are zeros, and its assignments leave variables as they are.

    In the text language it is `if c { y = a } else { y = b }` with a value as condition.

    - (C1) both bodies yield values of the same types, which are those of the results
    - (C2) the bodies take no batch, and of what updates variables they have
      `tfir.assign`, `tfir.assign_add` and `tfir.assign_sub`
    - (C3) the bodies have no summary, and no op that trains

    Example:

    ```mlir
    %y = tfir.if %c : (tensor<i1>) -> tensor<4xf32> {
      %l = tfir.log %x : (tensor<4xf32>) -> tensor<4xf32>
      tfir.yield %l : tensor<4xf32>
    } else {
      tfir.yield %x : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Tfir_BoolScalar:$condition);
  let results = (outs Variadic<Tfir_NumberOrBoolTensor>:$results);
  let regions = (region SizedRegion<1>:$thenBody, SizedRegion<1>:$elseBody);
  let assemblyFormat = [{
    $condition attr-dict `:` functional-type(operands, results) $thenBody `else` $elseBody
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif
