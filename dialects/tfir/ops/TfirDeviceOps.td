// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of devices, ops of unknown kind, transfers, budgets.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRDEVICEOPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRDEVICEOPS

include "dialects/tfir/TfirAttrs.td"

def Tfir_DevicesOp : Tfir_Op<"devices"> {
  let summary = "the table of devices to compile for";
  let description = [{
    Made by the first pass from the flags and files of the user; later passes read
    no file. Devices are in the order in which placement prefers them. `client` is
    the task that runs the steps. A number after `memory` is a limit in bytes;
    `implied` marks the CPU:0 of a task that nobody has named.

    - (C1) `client` is a task: job, replica and task are set, type and id are open
    - (C2) the names are full, and each is there once
    - (C3) limits of memory and priorities are not negative
    - (C4) a module has one table

    Example:

    ```mlir
    tfir.devices client "/job:localhost/replica:0/task:0" [
      "/job:localhost/replica:0/task:0/device:GPU:0" priority 210 memory 4294967296,
      "/job:localhost/replica:0/task:0/device:CPU:0" priority 70 implied
    ]
    ```
  }];
  let arguments = (ins Tfir_DeviceAttr:$client,
                       TypedArrayAttrBase<Tfir_DeviceEntryAttr, "devices">:$entries);
  let assemblyFormat = [{
    `client` custom<DeviceText>($client) custom<DeviceEntries>($entries) attr-dict
  }];
  let hasVerifier = 1;
}

def Tfir_CustomOp : Tfir_Op<"custom", []> {
  let summary = "an op of a kind that graphc does not know";
  let description = [{
    A table (`--kernels=table.json`) lists the kinds of device that it runs on, so that
    placement can be studied without a kernel.

    Example:

    ```mlir
    %y = tfir.custom "Transmogrify"(%x) : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$op, Variadic<Tfir_Tensor>:$operands);
  let results = (outs Variadic<Tfir_Tensor>:$results);
  let assemblyFormat = [{
    $op `(` $operands `)` attr-dict `:` functional-type($operands, $results)
  }];
}

// Work of the runtime that a step waits for, to try out what happens then. It
// stays even if nobody uses the result.
class Tfir_DebugOp<string mnemonic> : Tfir_Op<mnemonic,
    [Placeable, Tfir_KernelBarrier, DeclareOpInterfaceMethods<TypeInferable>,
     DeclareOpInterfaceMethods<Differentiable>]> {
  let results = (outs Tfir_NumberTensor:$y);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}

def Tfir_DebugSleepOp : Tfir_DebugOp<"debug_sleep"> {
  let summary = "x, some time later";
  let description = [{
    The device on which it is waits so many milliseconds when x is there. Its
    gradient is that of the identity.

    - (C1) 0 <= milliseconds <= 86400000, a day
    - (C2) the result has the type of the operand

    Example:

    ```mlir
    %y = tfir.debug_sleep %x {milliseconds = 50 : i64}
        : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, I64Attr:$milliseconds);
}

def Tfir_DebugFailOp : Tfir_DebugOp<"debug_fail"> {
  let summary = "fails the step";
  let description = [{
    When x is there, the step ends with the error ABORTED and this text. Its
    gradient is that of the identity.

    - (C1) the text has from 1 to 1000 characters
    - (C2) the result has the type of the operand

    Example:

    ```mlir
    %y = tfir.debug_fail %x {text = "no luck"} : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, StrAttr:$text);
}

def Tfir_SendOp : Tfir_Op<"send", [Tfir_MovesValues]> {
  let summary = "gives a value to another partition";
  let description = [{
    Made by partition. Edges are numbered within a graph, over all its partitions;
    `to` is the number of the partition that receives, in the order of the module.

    Example: `tfir.send %x edge 3 to 1 : tensor<8xf32>`
  }];
  let arguments = (ins Tfir_Tensor:$value, I64Attr:$edge, I64Attr:$to);
  let assemblyFormat = "$value `edge` $edge `to` $to attr-dict `:` type($value)";
}

def Tfir_RecvOp : Tfir_Op<"recv", [Tfir_MovesValues]> {
  let summary = "takes a value from another partition";
  let description = [{
    Made by partition. `level` counts the transfers in sequence on the
    longest way from the graph's start to this value: what is computed from values
    of different levels does not become one kernel, since the way from the one to
    the other may lead over another device.

    Example: `%x = tfir.recv edge 3 from 0 level 1 : tensor<8xf32>`
  }];
  let arguments = (ins I64Attr:$edge, I64Attr:$from, I64Attr:$level);
  let results = (outs Tfir_Tensor:$value);
  let assemblyFormat =
      "`edge` $edge `from` $from `level` $level attr-dict `:` type($value)";
}

def Tfir_AllReduceOp : Tfir_Op<"all_reduce",
    [Placeable, Tfir_KernelBarrier,
     DeclareOpInterfaceMethods<TypeInferable>]> {
  let summary = "the sum of a value over devices, by a library if there is one";
  let description = [{
    Made by replication (`--reduce=nccl`) on each device with a tower, after
    differentiation: it has no gradient. The result is `sum`, which the program has
    made of the terms of all devices, among them `own`, the term of this one. Where
    the runtime has a library that adds up, that makes the result from the terms; ops
    that then have nothing to do are those with the attribute `fallback`. The ops that
    add up together have the same `collective`.

    - (C1) operands and result have one type

    Example:

    ```mlir
    %y = tfir.all_reduce %own, %sum {collective = 0 : i64}
        : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Tfir_F32Tensor:$own, Tfir_F32Tensor:$sum);
  let results = (outs Tfir_F32Tensor:$y);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
}

def Tfir_BudgetKind : I32EnumAttr<"BudgetKind", "what a budget bounds", [
    I32EnumAttrCase<"Link", 0, "link">,
    I32EnumAttrCase<"Messages", 1, "messages">,
    I32EnumAttrCase<"Peak", 2, "peak">]> {
  let cppNamespace = "::graphc::tfir";
}

def Tfir_BudgetOp : Tfir_Op<"budget"> {
  let summary = "a bound on what a step may cost";
  let description = [{
    Compilation fails when a step of a graph would need more, and names what
    contributes most. `kind` is

    - `"link"`: bytes per step from the devices that `source` covers to those that
      `target` covers
    - `"messages"`: transfers per step between them
    - `"peak"`: bytes of the arena and the variables of each device that `source`
      covers
    - (C1) the kind is one of these; `peak` has no target
    - (C2) the limit is not negative
    - (C3) the names are those of devices

    Example:

    ```mlir
    tfir.budget "link" from "/gpu:*" to "/cpu:0" at_most 4194304
    tfir.budget "peak" from "/gpu:0" at_most 1073741824
    ```
  }];
  let arguments = (ins Tfir_BudgetKind:$kind, OptionalAttr<Tfir_DeviceAttr>:$source,
                       OptionalAttr<Tfir_DeviceAttr>:$target, I64Attr:$limit);
  let assemblyFormat = [{
    custom<BudgetKindText>($kind) (`from` custom<DeviceText>($source)^)?
    (`to` custom<DeviceText>($target)^)? `at_most` $limit attr-dict
  }];
  let extraClassDeclaration = [{
    /// The devices at the two ends; all fields are open where none is named.
    ::graphc::runtime::DeviceName getSourceName();
    ::graphc::runtime::DeviceName getTargetName();
  }];
  let hasVerifier = 1;
}

#endif
