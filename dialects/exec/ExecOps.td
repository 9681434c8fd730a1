// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels on values, programs, slots and instructions.
#ifndef GRAPHC_DIALECTS_EXEC_EXECOPS
#define GRAPHC_DIALECTS_EXEC_EXECOPS

include "dialects/exec/ExecBase.td"
include "dialects/exec/ExecGpuOps.td"
include "dialects/exec/ExecInterfaces.td"

def Exec_LaunchOp : Exec_Op<"launch", [Pure]> {
  let summary = "a kernel applied to values";
  let description = [{
    The form of a graph after lowering. The kernel is a function of the module
    `kernels`; it sees the bytes of the values, so its types may be other views of
    them. A launch of several ops has `result_names`: for each result the name of
    the op that makes it.

    - (C1) one name per result

    Example:

    ```mlir
    %c = exec.launch @train_MatMul(%a, %b)
        : (tensor<8x3xf32>, tensor<3x5xf32>) -> tensor<8x5xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<AnyRankedTensor>:$operands,
                       OptionalAttr<StrArrayAttr>:$result_names);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $operands `)` attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Exec_ProgramOp : Exec_Op<"program", [Symbol, SingleBlock, NoTerminator,
    IsolatedFromAbove]> {
  let summary = "what one device does in one step of one graph";
  let description = [{
    `arena` is the size in bytes of the memory that the slots share, `live` the
    largest sum of slots that are in use at the same time. The programs of one
    graph stand one behind the other and are numbered from 0. The first of several
    gives in `order` a way to run them without a deadlock: in turn, each
    program that is named does its next instruction. `on_host` marks a program
    whose kernels are code for the host's CPU, whatever its device.

    The first program of a graph also has, where they apply: `replicas`, the number
    of towers, `instance`, where the graph is a worker's replica, and `member`, the
    number of workers that its plan is for. `updates_from`, of a program of an
    instance that assigns variables, is the first instruction of its update part.
    `summaries` specify how the graph's last fetches are shown (`#tfir.summary`), of a
    graph that stands in for another in the steps that write summaries.

    - (C1) first all slots, then the instructions
    - (C2) `replicas` and `member` are at least 1, `updates_from` at least 0
    - (C3) `summaries` are `#tfir.summary`

    Example:

    ```mlir
    exec.program @predict of "predict" on "/job:localhost/replica:0/task:0/device:CPU:0"
        arena 128 live 128 {
      %x = exec.slot arena at 0 first 0 last 0 : tensor<8xf32> {name = "x"}
      %y = exec.slot arena at 64 first 0 last 1 : tensor<8xf32> {name = "y"}
      exec.feed "x" %x : !exec.slot<tensor<8xf32>>
      exec.dispatch @predict_y(%x, %y) writes [1] waits []
          : !exec.slot<tensor<8xf32>>, !exec.slot<tensor<8xf32>>
      exec.fetch "y" %y : !exec.slot<tensor<8xf32>>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$graph,
                       Exec_DeviceAttr:$device, I64Attr:$arena_bytes,
                       I64Attr:$live_bytes, UnitAttr:$on_host,
                       OptionalAttr<DenseI64ArrayAttr>:$order,
                       OptionalAttr<I64Attr>:$replicas,
                       OptionalAttr<Exec_InstanceAttr>:$instance,
                       OptionalAttr<I64Attr>:$updates_from,
                       OptionalAttr<I64Attr>:$member,
                       OptionalAttr<ArrayAttr>:$summaries);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
      "::llvm::StringRef":$graph, "::graphc::tfir::DeviceAttr":$device,
      "int64_t":$arenaBytes, "int64_t":$liveBytes, "bool":$onHost), [{
    build($_builder, $_state, name, graph, device, arenaBytes, liveBytes, onHost,
          /*order=*/{}, /*replicas=*/{}, /*instance=*/{}, /*updates_from=*/{},
          /*member=*/{}, /*summaries=*/{});
  }]>];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `of` $graph `on` custom<DeviceText>($device) (`on_host` $on_host^)?
    `arena` $arena_bytes `live` $live_bytes attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
  }];
}

def Exec_SlotKind : I32EnumAttr<"SlotKind", "where a slot lives", [
    I32EnumAttrCase<"Arena", 0, "arena">,
    I32EnumAttrCase<"Variable", 1, "variable">,
    I32EnumAttrCase<"Constant", 2, "constant">,
    I32EnumAttrCase<"StepState", 3, "step_state">]> {
  let cppNamespace = "::graphc::exec";
}

def Exec_SlotOp : Exec_Op<"slot", [Pure]> {
  let summary = "a place in memory";
  let description = [{
    - `arena`: bytes of the program's arena from `at` on; `first` and `last` number
      the instructions between which it is in use
    - `variable`: the storage of a variable
    - `constant`: read-only bytes
    - `step_state`: seed, step and `replica` (0 when absent), written before each
      step
    - (C1) an arena slot has a place that is a multiple of 64, and a lifetime
    - (C2) a variable slot names a variable, a constant slot has a value
    - (C3) only a slot of the step's state has a replica, which is not negative

    Example: `%w = exec.slot variable @w : tensor<8xf32>`
  }];
  let arguments = (ins Exec_SlotKind:$kind,
                       OptionalAttr<FlatSymbolRefAttr>:$variable,
                       OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<I64Attr>:$first,
                       OptionalAttr<I64Attr>:$last,
                       OptionalAttr<I64Attr>:$replica,
                       OptionalAttr<ElementsAttr>:$value);
  let results = (outs Exec_SlotType:$slot);
  let assemblyFormat = [{
    $kind ($variable^)? (`at` $offset^)? (`first` $first^)? (`last` $last^)?
    (`replica` $replica^)? (`value` $value^)? attr-dict `:` type($slot)
  }];
  let hasVerifier = 1;
}

def Exec_FeedOp : Exec_Op<"feed"> {
  let summary = "the slot that a feed fills";
  let description = [{
    `order` is its place among the feeds of the graph, whose programs each have some
    of them.
  }];
  let arguments = (ins StrAttr:$feed, Exec_SlotType:$slot,
                       DefaultValuedAttr<I64Attr, "0">:$order);
  let assemblyFormat = "$feed $slot attr-dict `:` type($slot)";
}

def Exec_FetchOp : Exec_Op<"fetch"> {
  let summary = "the slot that a fetch reads after the step";
  let description = "`order` is as in `exec.feed`.";
  let arguments = (ins StrAttr:$fetch, Exec_SlotType:$slot,
                       DefaultValuedAttr<I64Attr, "0">:$order);
  let assemblyFormat = "$fetch $slot attr-dict `:` type($slot)";
}

//===-- Instructions ------------------------------------------------------===//

// Instructions are numbered in order from 0; `waits` lists those that must have
// finished before this one starts. `serves` is the number of the exec.all_reduce
// of the program that the instruction is only for: passed over where a library
// makes the sum.
class Exec_Instruction<string mnemonic, dag uses>
    : Exec_Op<mnemonic, [InstructionOpInterface]> {
  let arguments = !con(uses, (ins DenseI64ArrayAttr:$waits,
                                  OptionalAttr<I64Attr>:$serves));
  // Methods of the interface; instructions with edges have more of them.
  code slotMethods = [{
    ::llvm::SmallVector<::mlir::Value> getReadSlots();
    ::llvm::SmallVector<::mlir::Value> getWrittenSlots();
  }];
  let extraClassDeclaration = slotMethods;
}

def Exec_DispatchOp : Exec_Instruction<"dispatch", 
    (ins FlatSymbolRefAttr:$kernel, Variadic<Exec_SlotType>:$slots,
         DenseI64ArrayAttr:$writes)> {
  let summary = "runs a kernel";
  let description = [{
    `writes` lists the positions of the slots that the kernel writes.

    Example: see `exec.program`.
  }];
  let assemblyFormat = [{
    $kernel `(` $slots `)` `writes` $writes `waits` $waits attr-dict `:`
    type($slots)
  }];
}

def Exec_CopyOp : Exec_Instruction<"copy", 
    (ins Exec_SlotType:$source, Exec_SlotType:$target)> {
  let summary = "copies the bytes of one slot to another";
  let description = [{
    - (C1) both have the same size

    Example: `exec.copy %new to %w waits [3] : !exec.slot<tensor<f32>>, !exec.slot<tensor<f32>>`
  }];
  let assemblyFormat = [{
    $source `to` $target `waits` $waits attr-dict `:` type($source) `,`
    type($target)
  }];
  let hasVerifier = 1;
}

def Exec_NextOp : Exec_Instruction<"next", 
    (ins FlatSymbolRefAttr:$dataset, Variadic<Exec_SlotType>:$slots,
         DefaultValuedAttr<I64Attr, "0">:$shard,
         DefaultValuedAttr<I64Attr, "1">:$shards)> {
  let summary = "writes the next batch of a dataset";
  let description = [{
    Of its rows, part `shard` of `shards` equal ones.

    Example: `exec.next @train(%x) waits [] : !exec.slot<tensor<8xui8>>`
  }];
  let assemblyFormat =
      "$dataset `(` $slots `)` `waits` $waits attr-dict `:` type($slots)";
  let extraClassDeclaration = slotMethods # [{
    bool isHostCall() { return true; }
  }];
}

def Exec_FillOp : Exec_Instruction<"fill", 
    (ins Exec_SlotType:$target, ElementsAttr:$value)> {
  let summary = "fills a slot with one element";
  let description = [{
    - (C1) the value has one element, of the slot's element type

    Example: `exec.fill %w with dense<0.0> : tensor<f32> waits [] : !exec.slot<tensor<8xf32>>`
  }];
  let assemblyFormat =
      "$target `with` $value `waits` $waits attr-dict `:` type($target)";
  let hasVerifier = 1;
}

def Exec_SleepOp : Exec_Instruction<"sleep", 
    (ins I64Attr:$milliseconds)> {
  let summary = "waits some milliseconds";
  let description = "Example: `exec.sleep 50 waits [0]`";
  let assemblyFormat = "$milliseconds `waits` $waits attr-dict";
  let extraClassDeclaration = slotMethods # [{
    bool isHostCall() { return true; }
  }];
}

def Exec_FailOp : Exec_Instruction<"fail", 
    (ins StrAttr:$text)> {
  let summary = "fails the step";
  let description = "Example: `exec.fail \"no luck\" waits [0]`";
  let assemblyFormat = "$text `waits` $waits attr-dict";
  let extraClassDeclaration = slotMethods # [{
    bool isHostCall() { return true; }
  }];
}

def Exec_CheckOp : Exec_Instruction<"check", 
    (ins Exec_SlotType:$flag, StrAttr:$text)> {
  let summary = "fails the step unless a bool holds";
  let description = [{
    Example: `exec.check %ok else "no luck" waits [0] : !exec.slot<tensor<i1>>`
  }];
  let assemblyFormat =
      "$flag `else` $text `waits` $waits attr-dict `:` type($flag)";
  let extraClassDeclaration = slotMethods # [{
    bool isHostCall() { return true; }
  }];
}

def Exec_PrintOp : Exec_Instruction<"print", 
    (ins Exec_SlotType:$value, StrAttr:$text, I64Attr:$elements)> {
  let summary = "prints the first elements of a slot";
  let description = [{
    Example: `exec.print %x "x: " first 3 waits [0] : !exec.slot<tensor<8xf32>>`
  }];
  let assemblyFormat = [{
    $value $text `first` $elements `waits` $waits attr-dict `:` type($value)
  }];
  let extraClassDeclaration = slotMethods # [{
    bool isHostCall() { return true; }
  }];
}

// Edges are numbered within a graph, over all its programs. Several edges in one
// instruction travel together in one frame.
def Exec_SendOp : Exec_Instruction<"send", 
    (ins DenseI64ArrayAttr:$edges, Variadic<Exec_SlotType>:$slots, I64Attr:$to,
         OptionalAttr<DenseI64ArrayAttr>:$collectives)> {
  let summary = "gives the bytes of slots to another program";
  let description = [{
    Pushes each slot's bytes over the edge of the same position to program `to`.
    `collectives` numbers, from 1, the collective that each edge is a part of; 0
    stands for none.

    - (C1) one edge per slot, at least one
    - (C2) as many collectives as edges, if any

    Example: `exec.send [3](%x) to 1 waits [0] : !exec.slot<tensor<8xf32>>`
  }];
  let assemblyFormat = [{
    $edges `(` $slots `)` `to` $to (`collectives` $collectives^)? `waits` $waits
    attr-dict `:` type($slots)
  }];
  let extraClassDeclaration = slotMethods # [{
    ::llvm::ArrayRef<int64_t> getSentEdges() { return getEdges(); }
    ::std::optional<uint64_t> getPeer() { return getTo(); }
  }];
  let hasVerifier = 1;
}

def Exec_RecvOp : Exec_Instruction<"recv", 
    (ins DenseI64ArrayAttr:$edges, Variadic<Exec_SlotType>:$slots, I64Attr:$from)> {
  let summary = "waits for bytes from another program";
  let description = [{
    The slots are where the bytes land; they are in use from the start of the
    step, as the sender does not ask.

    - (C1) one edge per slot, at least one

    Example: `exec.recv [3](%x) from 0 waits [] : !exec.slot<tensor<8xf32>>`
  }];
  let assemblyFormat = [{
    $edges `(` $slots `)` `from` $from `waits` $waits attr-dict `:` type($slots)
  }];
  let extraClassDeclaration = slotMethods # [{
    ::llvm::ArrayRef<int64_t> getReceivedEdges() { return getEdges(); }
    ::std::optional<uint64_t> getPeer() { return getFrom(); }
  }];
  let hasVerifier = 1;
}

def Exec_AllReduceOp : Exec_Instruction<"all_reduce", 
    (ins I64Attr:$number, Exec_SlotType:$source, Exec_SlotType:$target)> {
  let summary = "adds up a slot over programs, if there is a library for it";
  let description = [{
    Where a library adds up values of several GPUs, `target` becomes the sum of
    `source` over all programs of the graph that have an `all_reduce` of this number,
    and instructions whose `serves` is this number are passed over.
    Elsewhere they have left the sum in `target`, and nothing is done.

    - (C1) numbers count from 1
    - (C2) both slots are of 32-bit floats, as many

    Example: `exec.all_reduce 1 %own to %sum waits [3, 7] : !exec.slot<tensor<8xf32>>, !exec.slot<tensor<8xf32>>`
  }];
  let assemblyFormat = [{
    $number $source `to` $target `waits` $waits attr-dict `:` type($source) `,`
    type($target)
  }];
  let extraClassDeclaration = slotMethods # [{
    ::std::optional<uint64_t> getAllReduceNumber() { return getNumber(); }
  }];
  let hasVerifier = 1;
}

//===-- Machine code ------------------------------------------------------===//

def Exec_KernelOp : Exec_Op<"kernel", [Symbol]> {
  let summary = "what a program needs to know of a compiled kernel";
  let description = [{
    Kernels are numbered in the order of the module.

    Example: `exec.kernel @train_MatMul units 16 scratch 4096 flops 1.0e6 bytes 2.0e5`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$units, I64Attr:$scratch,
                       F64Attr:$flops, F64Attr:$bytes);
  let assemblyFormat = [{
    $sym_name `units` $units `scratch` $scratch `flops` $flops `bytes` $bytes
    attr-dict
  }];
}

def Exec_ImageOp : Exec_Op<"image"> {
  let summary = "the machine code of all kernels for one level of CPU";
  let description = [{
    `entries` gives the place of each kernel in the code.

    Example: `exec.image "x86-64-v3" entries [0] code dense<"0xC3"> : tensor<1xi8>`
  }];
  let arguments = (ins StrAttr:$isa, DenseI64ArrayAttr:$entries,
                       ElementsAttr:$code);
  let assemblyFormat = "$isa `entries` $entries `code` $code attr-dict";
}

#endif
