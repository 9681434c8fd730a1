// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs, variables, datasets, device scopes, training.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRSTATEOPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRSTATEOPS

include "dialects/tfir/data/TfirTransforms.td"
include "dialects/tfir/TfirAttrs.td"

//===-- Module level ------------------------------------------------------===//

def Tfir_VariableOp : Tfir_Op<"variable", [Symbol]> {
  let summary = "state that outlives a step";
  let description = [{
    A tensor that all graphs of the module share. The compiler makes the graph
    `init`, which gives every variable its initial value.

    - (C1) the type has a static shape
    - (C2) `initial` is a number for every element (`#tfir.fill`), a random
      distribution of floats, or a dense constant of the variable's type
    - (C3) a shard has both `part_of` and `part_row`, which is not negative
    - (C4) a variable with `transient` starts as 0 and is not trained
    - (C5) its elements have more than 16 bits, in which updates would be lost

    A variable with `transient` holds sums of an evaluation, as TensorFlow's local
    variables do: no checkpoint has it, and what is added to it in towers is summed,
    where others take the mean. For each graph `G` that updates such variables the
    compiler makes the graph `G/reset`, which sets them to 0; its fetches are those of
    `G` that follow from them alone, of which an evaluation takes the last values.

    Only the compiler writes these: `scratch` marks what is between an assignment and
    reads in one step and never stored, `mirror_of` names the variable of which this
    one is a copy on another device; a shard has some rows of the variable `part_of`,
    from row `part_row` on.

    Example:

    ```mlir
    tfir.variable @weights : tensor<784x500xf32> =
        #tfir.truncated_normal<stddev = 0.1>
    tfir.variable @steps : tensor<i64> = #tfir.fill<0> {trainable = false}
    tfir.variable @hits : tensor<f32> = #tfir.fill<0> {trainable = false, transient}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<Tfir_NumberTensor>:$type,
                       AnyAttr:$initial,
                       DefaultValuedAttr<BoolAttr, "true">:$trainable,
                       UnitAttr:$transient,
                       OptionalAttr<FlatSymbolRefAttr>:$mirror_of,
                       OptionalAttr<StrAttr>:$part_of,
                       OptionalAttr<I64Attr>:$part_row,
                       UnitAttr:$scratch);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
      "::mlir::RankedTensorType":$type, "::mlir::Attribute":$initial,
      CArg<"bool", "true">:$trainable), [{
    build($_builder, $_state, name, type, initial, trainable,
          /*transient=*/false, /*mirror_of=*/{}, /*part_of=*/{},
          /*part_row=*/{}, /*scratch=*/false);
  }]>];
  let assemblyFormat = "$sym_name `:` $type `=` $initial attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
    static ::llvm::ArrayRef<::llvm::StringRef> getCompilerAttrNames();
  }];
}

def Tfir_DatasetOp : Tfir_Op<"dataset", [Symbol]> {
  let summary = "a source of examples, read from files at run time";
  let description = [{
    Names the fields of one example; `graphc-run --data NAME=FILE,...` names the
    files. `tfir.next` takes a batch.

    - `batch`: examples per step, unless bound by `--batch`
    - `shuffle`: examples to draw from, 0 keeps the order of the file
    - `min_after_dequeue`: examples that are left to draw from before more are put to
      them; without it one is put in for each that is drawn
    - `shuffle_files`: each pass has the files in another order
    - `cycle_length`, `block_length`: as many files are read side by side, so many
      examples of each in turn
    - `seed`: of the shuffles and of `augment`
    - `repeat`: passes over the data, 0 is without end
    - `prefetch`: batches made ahead of their use
    - `cache`: examples are kept as they were decoded, up to so many MiB
    - `mask`: the field that no file has: 1 for an example, 0 for what fills up the
      last batch of a pass, which is left out without a mask
    - `augment`: transforms of examples, one after the other
    - (C1) each field has a static shape
    - (C2) the numbers are not negative; `cycle_length` and `block_length` are at
      least 1, `min_after_dequeue` is below `shuffle`
    - (C3) the mask is one of several fields, a scalar of f32 or i1, that no
      transform has
    - (C4) each transform is of a field, an image that it can make
    - (C5) fields are f32, f64, i32, i64, ui8 or i1

    Only the compiler writes these: `batch_of_worker` is the part of the batch that
    each worker takes, with `per_worker` `batch` is that part itself.

    Example:

    ```mlir
    tfir.dataset @train(image: tensor<28x28x1xui8>, label: tensor<ui8>)
        {shuffle = 10000, repeat = 0}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       StrArrayAttr:$field_names,
                       TypeArrayAttr:$field_types,
                       OptionalAttr<I64Attr>:$batch,
                       DefaultValuedAttr<I64Attr, "0">:$shuffle,
                       DefaultValuedAttr<I64Attr, "0">:$seed,
                       DefaultValuedAttr<I64Attr, "1">:$repeat,
                       DefaultValuedAttr<I64Attr, "2">:$prefetch,
                       OptionalAttr<I64Attr>:$min_after_dequeue,
                       UnitAttr:$shuffle_files,
                       DefaultValuedAttr<I64Attr, "1">:$cycle_length,
                       DefaultValuedAttr<I64Attr, "1">:$block_length,
                       DefaultValuedAttr<I64Attr, "0">:$cache,
                       OptionalAttr<StrAttr>:$mask,
                       OptionalAttr<Tfir_Transforms>:$augment,
                       OptionalAttr<I64Attr>:$batch_of_worker,
                       UnitAttr:$per_worker);
  let assemblyFormat = [{
    $sym_name `(` custom<Fields>($field_names, $field_types) `)` attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::ArrayRef<::llvm::StringRef> getCompilerAttrNames();
    /// The number of the field in the list; -1: there is none.
    int64_t indexOfField(::llvm::StringRef name);
  }];
}

def Tfir_GraphOp : Tfir_Op<"graph", [Symbol, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"ReturnOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "one program over the variables: its feeds and fetches";
  let description = [{
    The arguments are the feeds, given by name at each step; the results are the
    fetches. `?` dimensions are bound when compiling (`--bind`, `--batch`).

    Only the compiler writes these attributes:

    - `replicas`: the number of towers to make of the graph
    - `split_feeds`, `split_fetches`: one bool per feed, or per fetch, whose rows
      are divided among the towers, or are those of the towers in order
    - `feed_devices`: for each feed the device where it is given
    - `instance`: the graph is a worker's replica
    - of a partition: `partition_of`, the graph that it is of, `device`, and
      `feed_order` and `fetch_order`, the places of its feeds and fetches among
      those of the graph
    - `on_host`: the kernels are lowered for the host's CPU, whatever the device
    - `summaries`: how its last fetches are shown, which no caller asks for
    - `tfir.pipeline`: the replicas are micro-batches, which go through so many
      `stages` in the order of the `schedule`, `"gpipe"` or `"1f1b"`; then ops have
      `tfir.slot`, the place on the way of a micro-batch, later the turn of their
      device

    - (C1) the names of the feeds, and those of the fetches, differ
    - (C2) `tfir.return` gives as many values as there are fetches, of their types
    - (C3) `replicas` is a number from 1 to 4096
    - (C4) `summaries` show fetches that are there, unless it is a partition

    Example:

    ```mlir
    tfir.graph @predict(%x: tensor<?xf32>) -> (y: tensor<?xf32>) {
      %w = tfir.read @w : tensor<f32>
      %y = tfir.mul %x, %w : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
      tfir.return %y : tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       StrArrayAttr:$feed_names,
                       StrArrayAttr:$fetch_names,
                       TypeArrayAttr:$fetch_types,
                       UnitAttr:$on_host,
                       OptionalAttr<I64Attr>:$replicas,
                       OptionalAttr<DenseBoolArrayAttr>:$split_feeds,
                       OptionalAttr<DenseBoolArrayAttr>:$split_fetches,
                       OptionalAttr<TypedArrayAttrBase<Tfir_DeviceAttr,
                                                       "devices">>:$feed_devices,
                       OptionalAttr<TypedArrayAttrBase<Tfir_SummaryAttr,
                                                       "summaries">>:$summaries,
                       OptionalAttr<Tfir_InstanceAttr>:$instance,
                       OptionalAttr<StrAttr>:$partition_of,
                       OptionalAttr<Tfir_DeviceAttr>:$device,
                       OptionalAttr<DenseI64ArrayAttr>:$feed_order,
                       OptionalAttr<DenseI64ArrayAttr>:$fetch_order);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
      "::mlir::ArrayAttr":$feed_names, "::mlir::ArrayAttr":$fetch_names,
      "::mlir::ArrayAttr":$fetch_types), [{
    $_state.getOrAddProperties<Properties>().sym_name =
        $_builder.getStringAttr(name);
    $_state.getOrAddProperties<Properties>().feed_names = feed_names;
    $_state.getOrAddProperties<Properties>().fetch_names = fetch_names;
    $_state.getOrAddProperties<Properties>().fetch_types = fetch_types;
    (void)$_state.addRegion();
  }]>];
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    ReturnOp getReturn();
    /// Number of towers; 1 for a graph that is not replicated.
    int64_t getTowers() { return getReplicas().value_or(1); }
    /// The graph that a partition is of; itself for an undivided one.
    ::mlir::StringAttr getWholeNameAttr() {
      return getPartitionOfAttr() ? getPartitionOfAttr() : getSymNameAttr();
    }
    /// True when its steps interleave with those of other workers.
    bool isCoordinated() {
      return getInstance() && getInstance()->isCoordinated();
    }
    static ::llvm::ArrayRef<::llvm::StringRef> getCompilerAttrNames();
  }];
}

def Tfir_ReturnOp : Tfir_Op<"return",
    [Terminator, HasParent<"GraphOp">, ReturnLike]> {
  let summary = "ends a graph with its fetches";
  let arguments = (ins Variadic<Tfir_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
}

//===-- Device scopes -----------------------------------------------------===//

def Tfir_DeviceOp : Tfir_Op<"device",
    [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "requests a device for the ops inside";
  let description = [{
    As `with tf.device(...)`: names are merged from outer to inner, the inner
    scope wins for each part of the name, an op's own `device` wins over both.
    The first pass dissolves the scope.

    Example:

    ```mlir
    %y = tfir.device "/gpu:1" -> tensor<2xf32> {
      %s = tfir.square %x : (tensor<2xf32>) -> tensor<2xf32>
      tfir.yield %s : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$spec);
  let results = (outs Variadic<Tfir_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$spec (`->` type($results)^)? $body attr-dict";
  let hasVerifier = 1;
}

def Tfir_YieldOp : Tfir_Op<"yield",
    [Pure, Terminator, ReturnLike]> {
  let summary = "what a device scope or a body of a loop or a choice gives";
  let description = [{
    - (C1) it ends a `tfir.device` or a body of a `tfir.scan` or `tfir.if`

    Example: `tfir.yield %y : tensor<2xf32>`
  }];
  let arguments = (ins Variadic<Tfir_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
  let hasVerifier = 1;
}

//===-- State -------------------------------------------------------------===//

def Tfir_ReadOp : Tfir_Op<"read", [
    DeclareOpInterfaceMethods<Tfir_VariableAccess,
        ["getNumUpdated", "isCompoundUpdate"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]>,
    Tfir_ResultsBy<"variable", "variable"> {
  let summary = "the value of a variable";
  let description = [{
    Sees the last assignment above it. With `average` it gives the moving average
    that `tfir.ema` keeps of the variable.

    - (C1) the variable exists
    - (C2) the result has the variable's type

    Example: `%w = tfir.read @weights : tensor<784x500xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, UnitAttr:$average);
  let results = (outs Tfir_Tensor:$value);
  let assemblyFormat = "$variable (`average` $average^)? attr-dict `:` type($value)";
}

class Tfir_AssignOpBase<string mnemonic, list<string> methods> :
    Tfir_Op<mnemonic, [DeclareOpInterfaceMethods<Tfir_VariableAccess, methods>,
                       DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins FlatSymbolRefAttr:$variable, Tfir_Tensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}
def Tfir_AssignOp : Tfir_AssignOpBase<"assign", ["isCompoundUpdate"]> {
  let summary = "gives a variable a new value";
  let description = [{
    - (C1) the variable exists
    - (C2) the value has the variable's type

    Example: `tfir.assign @w, %new : tensor<f32>`
  }];
}
def Tfir_AssignAddOp : Tfir_AssignOpBase<"assign_add", ["isAccumulation"]> {
  let summary = "adds to a variable";
  let description = "Example: `tfir.assign_add @steps, %one : tensor<i64>`";
}
def Tfir_AssignSubOp : Tfir_AssignOpBase<"assign_sub", ["isAccumulation"]> {
  let summary = "subtracts from a variable";
  let description = "Example: `tfir.assign_sub @w, %delta : tensor<f32>`";
}

def Tfir_NextOp : Tfir_Op<"next",
    [Tfir_MovesValues, DeclareOpInterfaceMethods<SymbolUserOpInterface>]>,
    Tfir_ResultsBy<"batch", "dataset"> {
  let summary = "the next batch of a dataset";
  let description = [{
    One result per field, with the batch as first dimension. At the end of the
    data the run ends. With `shards` above 1, a batch of the dataset is divided by
    rows into so many equal parts, and the op gives part `shard`.

    - (C1) the dataset exists
    - (C2) there is one result per field, of the field's type after a batch
    - (C3) 0 <= shard < shards

    Example:

    ```mlir
    %x, %y = tfir.next @train : tensor<?x28x28x1xui8>, tensor<?xui8>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$dataset,
                       DefaultValuedAttr<I64Attr, "0">:$shard,
                       DefaultValuedAttr<I64Attr, "1">:$shards);
  let results = (outs Variadic<Tfir_Tensor>:$fields);
  let assemblyFormat = "$dataset attr-dict `:` type($fields)";
  let hasVerifier = 1;
}

//===-- Training ----------------------------------------------------------===//

def Tfir_GradientsOp : Tfir_Op<"gradients", [Tfir_ReplacedByGradients]>,
    Tfir_ResultsBy<"operands", "xs"> {
  let summary = "the derivative of a value by others";
  let description = [{
    The sum of the elements of `y`, differentiated by each of `xs`.

    - (C1) each result has the type of its `x`
    - (C2) `y` and all `xs` are floats
    - (C3) `y` depends on each of `xs`

    Example:

    ```mlir
    %dw = tfir.gradients %loss, %w : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$y, Variadic<Tfir_FloatTensor>:$xs);
  let results = (outs Variadic<Tfir_FloatTensor>:$gradients);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}

def Tfir_MinimizeOp : Tfir_Op<"minimize", [Tfir_ReplacedByGradients]> {
  let summary = "one training step";
  let description = [{
    Differentiates the loss by every trainable variable that the graph reads and
    applies the optimizer, then adds one to the variable `global_step`, which the
    compiler declares (i64, from 0) unless the module does. A trainable variable
    that the graph reads but the loss does not depend on gets a warning.

    The gradient of each variable is the mean over towers and workers. Then, in this
    order, as far as they are given:

    - `loss_scale` multiplies the loss before it is differentiated and is divided
      out again. With `loss_scale_growth` it is the first value of the variable
      `current_loss_scale`: after so many steps in a row whose gradients are all
      finite it doubles; a step with one that is not is skipped and halves it, down
      to 1. `good_steps` counts.
    - `accumulate` gradients are added up in `w/GradientAccumulator`, and their mean
      makes one update in the last of so many steps; the others change nothing
      but the sum and its counter `accumulated_steps`.
    - `l2 * w` is added: the gradient of `l2 * l2_loss(w)`.
    - `clip_value`: each element to [-c, c]. `clip_norm`: `g * min(1, c / |g|)` with
      the gradient's norm |g|. `clip_global_norm`: the same, |g| being the norm of the
      gradients of all variables together.

    `decay_variables` chooses the variables to which `l2` and the `weight_decay` of the
    optimizer apply; without it they are all. A step without an update does not count
    in `global_step`, and moves no average.

    - (C1) `optimizer` is an optimizer, such as `#tfir.sgd`
    - (C2) at most one of `clip_value`, `clip_norm`, `clip_global_norm`, positive
    - (C3) `l2` >= 0
    - (C4) `accumulate` >= 1
    - (C5) `loss_scale` > 0, `loss_scale_growth` >= 1 and only with `loss_scale`
    - (C6) `decay_variables` are trained, each once, and there is an `l2` or a
      `weight_decay`

    Example: `tfir.minimize %loss using #tfir.sgd<learning_rate = 0.01>`

    Example: `tfir.minimize %loss using #tfir.adam<learning_rate = 0.001>
    {accumulate = 4, clip_global_norm = 5.0}`
  }];
  let arguments = (ins Tfir_F32Scalar:$loss, AnyAttr:$optimizer,
                       OptionalAttr<F64Attr>:$clip_value,
                       OptionalAttr<F64Attr>:$clip_norm,
                       OptionalAttr<F64Attr>:$clip_global_norm,
                       OptionalAttr<F64Attr>:$l2,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$decay_variables,
                       OptionalAttr<I64Attr>:$accumulate,
                       OptionalAttr<F64Attr>:$loss_scale,
                       OptionalAttr<I64Attr>:$loss_scale_growth);
  let assemblyFormat = "$loss `using` $optimizer attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The gradient does not go to the optimizer as it is.
    bool changesGradients() {
      return getClipValue() || getClipNorm() || getClipGlobalNorm() || getL2() ||
             getAccumulate() || getLossScale();
    }
  }];
}

def Tfir_EmaOp : Tfir_Op<"ema", [Tfir_ReplacedByGradients]> {
  let summary = "keeps moving averages of the trainable variables";
  let description = [{
    After everything else in the step, for every variable that the graph trains:
    `average -= (1 - d) * (average - variable)` with `d = decay`, or
    `min(decay, (1 + n) / (10 + n))` where n is the number of updates so far, with
    `num_updates`, as a graph does that passes the global step. An average starts
    at its variable's initial value. `tfir.read @v average` gives it.

    - (C1) 0 <= decay <= 1
    - (C2) the graph minimizes something

    Example: `tfir.ema {decay = 0.99, num_updates}`
  }];
  let arguments = (ins F64Attr:$decay, UnitAttr:$num_updates);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tfir_ApplyOp : Tfir_Op<"apply", [
    DeclareOpInterfaceMethods<Tfir_VariableAccess>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "updates a variable with its gradient";
  let description = [{
    Made by differentiation. The optimizer's own state is in `slots`, variables of
    the same type beside the variable (`w/Momentum`); for Adam the last two are
    the powers of beta1 and beta2, f64. With `when`, nothing changes where that is 0;
    else it is 1. `combined`: the gradient is the mean over towers and workers already,
    or follows from it.

    Example:

    ```mlir
    tfir.apply @w, %gradient, %rate : tensor<3xf32>
        using #tfir.sgd<learning_rate = 0.1>
    tfir.apply @w, %mean, %rate when %last : tensor<3xf32>
        using #tfir.sgd<learning_rate = 0.1> {combined}
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable,
                       Tfir_FloatTensor:$gradient, Tfir_F32Scalar:$rate,
                       Optional<Tfir_F32Scalar>:$when,
                       Tfir_AnyOptimizer:$optimizer,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$slots,
                       UnitAttr:$combined);
  let assemblyFormat = [{
    $variable `,` $gradient `,` $rate (`when` $when^)? `:` type($gradient)
    `using` $optimizer (`slots` $slots^)? attr-dict
  }];
}

def Tfir_UpdateAverageOp : Tfir_Op<"update_average",
    [DeclareOpInterfaceMethods<Tfir_VariableAccess, ["getNumUpdated"]>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "moves an average towards its variable";
  let description = [{
    Made from `tfir.ema`: `average -= (1 - decay) * (average - variable)`.

    Example:

    ```mlir
    tfir.update_average @"w/ExponentialMovingAverage" of @w, %d
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$average, FlatSymbolRefAttr:$variable,
                       Tfir_F32Scalar:$decay);
  let assemblyFormat = "$average `of` $variable `,` $decay attr-dict";
}

#endif
