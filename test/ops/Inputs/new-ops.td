// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that no test knows.
def Tfir_CubeOp : Tfir_FloatUnaryOp<"cube", "x * x * x">;
def Tfir_TwistOp : Tfir_ComputeOp<"twist",
    [DeclareOpInterfaceMethods<Lowerable>]> {
  let summary = "nothing";
}
