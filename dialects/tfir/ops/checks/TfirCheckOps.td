// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that a program makes of its own values, and lines that it prints.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_CHECKS_TFIRCHECKOPS
#define GRAPHC_DIALECTS_TFIR_OPS_CHECKS_TFIRCHECKOPS

include "dialects/tfir/TfirBase.td"

// Fails the step or prints, depending on a value.
def Tfir_ReportsValues : NativeOpTrait<"ReportsValues"> {
  let cppNamespace = "::graphc::tfir";
}

def Tfir_AssertOp : Tfir_Op<"assert",
    [DeclareOpInterfaceMethods<Placeable, ["deviceKinds"]>, Tfir_KernelBarrier,
     Tfir_ReportsValues]> {
  let summary = "fails the step unless a condition holds";
  let description = [{
    As `tf.Assert`, which runs by itself here, without `tf.control_dependencies`: the
    step ends with the error INVALID_ARGUMENT, the message and the line of the program.
    Nothing waits for the check. What the step does with variables may be done before it,
    but no checkpoint is stored of a step that fails.

    The runtime checks on a CPU: a condition that a GPU computes is sent to its host. With
    several towers each of them checks its own condition. In a body of `tfir.if`,
    `tfir.cond` or `tfir.while` there is none; a body of `tfir.scan` checks in each step.

    - (C1) the condition has no dimensions
    - (C2) the message has from 1 to 2000 characters

    Example: `tfir.assert %ok, "the rate is positive" : tensor<i1>`
  }];
  let arguments = (ins Tfir_BoolTensor:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
  let hasVerifier = 1;
}

def Tfir_CheckNumericsOp : Tfir_Op<"check_numerics",
    [Placeable, Tfir_ReportsValues, DeclareOpInterfaceMethods<TypeInferable>,
     DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "x, of which no element is NaN or infinite";
  let description = [{
    As `tf.check_numerics`: the step fails where an element is NaN or infinite, with
    the message and `: Tensor had NaN or Inf values`. It is short for a `tfir.assert`
    about x, which specifies the rest, and stands even if nobody uses the result. Its
    gradient is that of the identity; TensorFlow checks the gradient, too.

    `graphc-run --check-numerics` looks at all values of a program instead.

    - (C1) the message has at most 1000 characters

    Example:

    ```mlir
    %y = tfir.check_numerics %x {message = "logits"} : (tensor<8x10xf32>) -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$x, StrAttr:$message);
  let results = (outs Tfir_FloatTensor:$y);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}

def Tfir_PrintOp : Tfir_Op<"print",
    [DeclareOpInterfaceMethods<Placeable, ["deviceKinds"]>, Tfir_KernelBarrier,
     Tfir_ReportsValues, DeclareOpInterfaceMethods<TypeInferable>,
     DeclareOpInterfaceMethods<Decomposable, ["isShorthand"]>]> {
  let summary = "x, of which it prints the first elements";
  let description = [{
    As `tf.Print` of x itself: in each step a line on standard error has the message and,
    in brackets, the first `summarize` elements of x, with `...` for those that are left
    out and brackets around the rows of a tensor: `logits: [[1 2 3]...]`. It prints even
    if nobody uses the result. A value of a GPU is sent to its host as a whole. With
    several towers each prints a line, in any order; on a cluster a line is on standard
    error of the task that has the value. In bodies it is as `tfir.assert`.

    Its gradient is that of the identity. Lines of different prints of a step are in the
    order in which the values are there.

    - (C1) the message has at most 1000 characters
    - (C2) summarize >= -1, where -1 stands for all elements

    Example:

    ```mlir
    %y = tfir.print %x {message = "logits: ", summarize = 10 : i64}
        : (tensor<8x10xf32>) -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x,
                       DefaultValuedAttr<StrAttr, "\"\"">:$message,
                       DefaultValuedAttr<I64Attr, "3">:$summarize);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}

#endif
