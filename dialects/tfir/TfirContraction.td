// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of matrix products and convolutions.
#ifndef GRAPHC_DIALECTS_TFIR_TFIRCONTRACTION
#define GRAPHC_DIALECTS_TFIR_TFIRCONTRACTION

include "mlir/IR/OpBase.td"

def Tfir_Contraction : OpInterface<"ContractionInterface"> {
  let cppNamespace = "::graphc::tfir";
  let description = [{
    Is multiplied by the micro-kernels or the library of a target: a matrix
    product, a convolution, or a part of one. It has one result, and no linalg of
    its own: it stays in its kernel until the target replaces it.
  }];
  let methods = [
    InterfaceMethod<
      [{Returns the kind and the shapes of the op, from which targets plan and
        emit its kernel and placement estimates its cost. REQUIRES: static
        shapes.}],
      "::graphc::tfir::ContractionSpec", "getSpec", (ins)>];
}

#endif
