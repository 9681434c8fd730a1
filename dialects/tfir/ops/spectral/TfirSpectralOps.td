// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms. A complex number is two floats, (re, im), along the last
// dimension.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_SPECTRAL_TFIRSPECTRALOPS
#define GRAPHC_DIALECTS_TFIR_OPS_SPECTRAL_TFIRSPECTRALOPS

include "dialects/tfir/TfirBase.td"

class Tfir_SpectralOp<string mnemonic> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]>;

class Tfir_FourierOp<string mnemonic, string formula, string where,
                     string rank, string shape> : Tfir_SpectralOp<mnemonic> {
  let summary = formula;
  let description = [{
    Along }] # where # [{ before the last one, which has the two parts (re, im) of a
    number: the language has no complex numbers. `tfir.dft` specifies cost and precision.

    - (C1) the last dimension has the size 2, and there are }] # rank # [{ before it

    Example: `%y = tfir.}] # mnemonic # " %x : (tensor<" # shape # "x2xf32>) -> tensor<" #
      shape # "x2xf32>`";
  let arguments = (ins Tfir_FloatTensor:$x);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_FftOp : Tfir_FourierOp<"fft",
    "the discrete Fourier transform, sum_j x_j exp(-2 pi i j k / n)",
    "the dimension", "one dimension or more", "3x8">;
def Tfir_IfftOp : Tfir_FourierOp<"ifft",
    "the inverse of tfir.fft: sum_k x_k exp(2 pi i j k / n) / n",
    "the dimension", "one dimension or more", "3x8">;
def Tfir_Fft2dOp : Tfir_FourierOp<"fft2d",
    "the discrete Fourier transform along two dimensions",
    "the two dimensions", "two dimensions or more", "3x8x6">;
def Tfir_Ifft2dOp : Tfir_FourierOp<"ifft2d",
    "the inverse of tfir.fft2d", "the two dimensions", "two dimensions or more",
    "3x8x6">;

def Tfir_RfftOp : Tfir_SpectralOp<"rfft"> {
  let summary = "the first half of the Fourier transform of real numbers";
  let description = [{
    Along the last dimension, whose numbers are cut or filled up with zeros to
    `fft_length`, its size without it. The result has the places 0 to fft_length / 2 and
    the two parts (re, im) of each; the others are their conjugates.

    - (C1) the operand has a dimension at least
    - (C2) fft_length >= 1

    Example: `%y = tfir.rfft %x : (tensor<3x8xf32>) -> tensor<3x5x2xf32>`
  }];
  let arguments = (ins Tfir_FloatTensor:$x, OptionalAttr<I64Attr>:$fft_length);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_IrfftOp : Tfir_SpectralOp<"irfft"> {
  let summary = "real numbers from the first half of their Fourier transform";
  let description = [{
    The inverse of `tfir.rfft`. Without `fft_length` it is twice the number of places but
    one, which is even. Places are cut or filled up with zeros to fft_length / 2 + 1; the
    imaginary parts of place 0, and of place fft_length / 2 if the length is even, do not
    count.

    - (C1) the last dimension has the size 2, and there is a dimension before it
    - (C2) fft_length >= 1

    Example: `%y = tfir.irfft %x : (tensor<3x5x2xf32>) -> tensor<3x8xf32>`
  }];
  let arguments = (ins Tfir_FloatTensor:$x, OptionalAttr<I64Attr>:$fft_length);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_DftOp : Tfir_ComputeOp<"dft",
    [DeclareOpInterfaceMethods<Differentiable>,
     DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = "the discrete Fourier transform by a table of roots of unity";
  let description = [{
    What `tfir.fft` and the others are made of. Row k of `roots`, (re, im), is
    exp(-2 pi i k / n) for the n places before the last dimension of `x`; with
    `conjugate` the roots' conjugates are taken. There is no factor.

    In one pass for each factor of n, with 4 in place of 2 * 2 (Stockham's order): each
    place is a sum of as many terms as the factor is large, so that the time for n places
    grows with n times the sum of the factors, n log(n) for a power of 2, n^2 for a prime.
    Errors grow with the logarithm of n, or with the square root of a large factor; the
    table is right to the last place.

    - (C1) the last dimension has the size 2, and there is a dimension before it
    - (C2) `roots` has so many rows, and the element type of the operand

    Example:

    ```mlir
    %y = tfir.dft %x, %roots : (tensor<3x8x2xf32>, tensor<8x2xf32>) -> tensor<3x8x2xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$x, Tfir_FloatTensor:$roots,
                       UnitAttr:$conjugate);
  let results = (outs Tfir_FloatTensor:$y);
}

#endif
