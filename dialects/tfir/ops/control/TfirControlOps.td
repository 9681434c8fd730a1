// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow within a graph.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_CONTROL_TFIRCONTROLOPS
#define GRAPHC_DIALECTS_TFIR_OPS_CONTROL_TFIRCONTROLOPS

include "dialects/tfir/TfirBase.td"
include "dialects/tfir/ops/control/KernelControl.td"

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
      `tfir.assign`, `tfir.assign_add`, `tfir.assign_sub` and `tfir.assign_rows`; they check
      and print nothing (`tfir.assert`, `tfir.check_numerics`, `tfir.print`)
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

// An op whose one kernel runs its bodies.
class Tfir_KernelControlOp<string mnemonic, list<Trait> traits = []> :
    Tfir_Op<mnemonic,
            [Pure, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">,
             DeclareOpInterfaceMethods<Placeable, ["deviceKinds"]>,
             DeclareOpInterfaceMethods<Tfir_KernelControl>] # traits>;

def Tfir_WhileOp : Tfir_KernelControlOp<"while", [AttrSizedOperandSegments]> {
  let summary = "a loop whose steps end by a condition";
  let description = [{
    While the first body yields true, the second is done and yields the next carried values;
    the results are those that the condition did not hold for, `inits` if it never did. Both
    bodies have as arguments the number of the step, from 0, as an i32; the carried values;
    and `captures`, what they use from outside, which stays the same in all steps.

    The loop ends after `limit` steps whatever the condition is, so that a step of the graph
    always ends; the results are then those of the last step, as with `maximum_iterations` of
    `tf.while_loop`. To tell the two apart, carry a number of steps, or compute the condition
    again behind the loop. A comparison with NaN does not hold, so a condition on NaN ends
    the loop.

    The loop is one kernel on one CPU, done by one thread, whatever it computes; elsewhere it
    is placed on the CPU and its values are transferred. It has no gradient: TensorFlow
    stores the values of each step for that, of which there is no known number here;
    `tfir.scan` is a loop with a gradient. Variables are read before the loop, and updated
    behind it; random numbers are drawn before it.

    In the text language it is `for i in while(x > 1, carry=[x], limit=50) { }`.

    - (C1) `limit` is from 1 to 2147483647; at least one value is carried
    - (C2) the arguments of the bodies are an i32, the carried values, the captured ones
    - (C3) the first body yields a bool scalar
    - (C4) the second yields the carried values, of their types
    - (C5) the bodies have only ops that compute values from values, without random numbers,
      and with no device or colocation of their own

    Example:

    ```mlir
    %r = tfir.while carry(%x) with(%a) limit 50
        : (tensor<f32>, tensor<f32>) -> tensor<f32> {
    ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<f32>):
      %q = tfir.mul %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %g = tfir.greater %q, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      tfir.yield %g : tensor<i1>
    } do {
    ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<f32>):
      %d = tfir.div %c, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %u = tfir.add %s, %d : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %half = tfir.const dense<0.5> : tensor<f32>
      %t = tfir.mul %u, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
      tfir.yield %t : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Tfir_NumberOrBoolTensor>:$inits,
                       Variadic<Tfir_NumberOrBoolTensor>:$captures, I64Attr:$limit);
  let results = (outs Variadic<Tfir_NumberOrBoolTensor>:$results);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = [{
    `carry` `(` $inits `)` (`with` `(` $captures^ `)`)? `limit` $limit attr-dict
    `:` functional-type(operands, results) $condition `do` $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Appends the types of the arguments of both bodies.
    void argumentTypes(::llvm::SmallVectorImpl<::mlir::Type> &types);
    /// The arguments of a body that are carried.
    ::mlir::Block::BlockArgListType getCarried(::mlir::Region &region) {
      return region.getArguments().slice(1, getInits().size());
    }
    /// The arguments of a body that are captured.
    ::mlir::Block::BlockArgListType getCaptured(::mlir::Region &region) {
      return region.getArguments().drop_front(1 + getInits().size());
    }
  }];
}

def Tfir_CondOp : Tfir_KernelControlOp<"cond"> {
  let summary = "what one of two bodies yields, of which that one alone is done";
  let description = [{
    The first body where the condition holds, the second where it does not, as `tf.cond`; the
    other one is not computed, which saves its time. The arguments of both bodies are
    `captures`, what they use from outside.

    The choice is one kernel on one CPU, done by one thread; elsewhere it is placed on the
    CPU and its values are transferred. It has no gradient: `tfir.if`, which computes both
    sides on any device, has one. Variables are read before the choice and updated behind it;
    random numbers are drawn before it.

    In the text language it is `if cond(c) { y = a } else { y = b }`.

    - (C1) both bodies yield values of the same types, at least one, which are those of the
      results
    - (C2) the arguments of both bodies are the captured values
    - (C3) the bodies have only ops that compute values from values, without random numbers,
      and with no device or colocation of their own

    Example:

    ```mlir
    %y = tfir.cond %c with(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %l = tfir.log %a : (tensor<4xf32>) -> tensor<4xf32>
      tfir.yield %l : tensor<4xf32>
    } else {
    ^bb0(%a: tensor<4xf32>):
      tfir.yield %a : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Tfir_BoolScalar:$condition,
                       Variadic<Tfir_NumberOrBoolTensor>:$captures);
  let results = (outs Variadic<Tfir_NumberOrBoolTensor>:$results);
  let regions = (region SizedRegion<1>:$thenBody, SizedRegion<1>:$elseBody);
  let assemblyFormat = [{
    $condition (`with` `(` $captures^ `)`)? attr-dict
    `:` functional-type(operands, results) $thenBody `else` $elseBody
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tfir_RecomputeOp : Tfir_Op<"recompute",
    [SingleBlockImplicitTerminator<"YieldOp">,
     DeclareOpInterfaceMethods<Tfir_Control>]> {
  let summary = "a body whose values are computed again in the backward pass";
  let description = [{
    What the body yields. Gradients through it need values that its ops have made
    (activations), and usually these are kept from the forward pass until then. Here they
    are not: before the gradients of the body, its ops are done a second time, from the
    values that the body takes from outside, which are kept (gradient checkpointing, as
    `tf.recompute_grad` does). So a step needs less memory, and the time of one more
    forward pass of the body. Results and gradients are the same.

    Not done a second time are reads of variables, draws of random numbers, whose values
    are those of the forward pass, what follows from variables and constants alone, and what
    has effects: assignments, batches that are taken. In a body within another one, the
    outer one counts.

    tfir-expand-control puts the body in the place of the op and marks its ops with
    `tfir.recompute`; tfir-differentiate writes the copies, whose operands pass through
    `tfir.optimization_barrier`. Without gradients, the op is its body. In the text
    language it is `y = recompute(f, x)` with a func `f`.

    - (C1) the body has no arguments; the results are what it yields
    - (C2) the body has no summary, and no op that trains

    Example:

    ```mlir
    %y = tfir.recompute : () -> tensor<8x4xf32> {
      %h = tfir.matmul %x, %w : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
      %t = tfir.tanh %h : (tensor<8x4xf32>) -> tensor<8x4xf32>
      tfir.yield %t : tensor<8x4xf32>
    }
    ```
  }];
  let results = (outs Variadic<Tfir_NumberOrBoolTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict `:` functional-type(operands, results) $body";
  let hasRegionVerifier = 1;
}

def Tfir_CustomGradientOp : Tfir_Op<"custom_gradient",
    [Pure, Tfir_ReplacedByGradients, SingleBlockImplicitTerminator<"YieldOp">,
     AttrSizedOperandSegments, DeclareOpInterfaceMethods<Differentiable>,
     DeclareOpInterfaceMethods<Tfir_Control>]> {
  let summary = "values with a gradient that is written by hand";
  let description = [{
    The results are `values`, as they are. Their gradient is not that of the ops that made
    `values`, of which nothing is differentiated: the body gives the gradients of `of` from
    those of the results, its arguments, which are zeros where nothing differentiates a
    result. It may use values of outside, such as those that the forward pass has made. As
    `tf.custom_gradient`; a straight-through estimator is one, and so is a gradient that
    is clipped within a network.

    The body is no way for gradients of gradients to the `of`: these are those of its ops.
    In the text language it is `y = custom_gradient(values, of, f)` with a func `f` of the
    gradients.

    - (C1) there is a value; a result for each, of its type
    - (C2) the arguments of the body are a gradient of each value, of its type
    - (C3) the body yields a gradient of each of `of`, of its type
    - (C4) the body updates no variable and takes no batch; it has no summary, and no op
      that trains

    Example:

    ```mlir
    %r = tfir.round %x : (tensor<4xf32>) -> tensor<4xf32>
    %y = tfir.custom_gradient(%r) of(%x)
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%dy: tensor<4xf32>):
      tfir.yield %dy : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Tfir_FloatTensor>:$values,
                       Variadic<Tfir_FloatTensor>:$of);
  let results = (outs Variadic<Tfir_FloatTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $values `)` `of` `(` $of `)` attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tfir_OptimizationBarrierOp : Tfir_ComputeOp<"optimization_barrier",
    [DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = "x, not before another value is there";
  let description = [{
    The compiler takes the result for a value that it knows nothing about: what is computed
    from it is not merged with the same of `x`, and does not run before `after` is there.
    It is no kernel and no copy: the bytes are those of `x`. tfir-differentiate makes them
    for `tfir.recompute`, with a gradient as `after`.

    The gradient of `x` is that of the result; `after` has none.

    - (C1) the result has the type of `x`

    Example:

    ```mlir
    %y = tfir.optimization_barrier %x, %g
        : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, Tfir_NumberOrBoolTensor:$after);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

#endif
