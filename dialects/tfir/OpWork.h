// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Amount of work in an op, on any device.
#ifndef GRAPHC_DIALECTS_TFIR_OPWORK_H
#define GRAPHC_DIALECTS_TFIR_OPWORK_H

#include "mlir/IR/Operation.h"

namespace graphc {

/// Arithmetic, and bytes that are read and written.
struct OpWork {
  double flops = 0;
  double bytes = 0;
  /// False for what costs no time of a device: constants, variables that are
  /// read in place, other shapes of the same bytes.
  bool isKernel = true;
};

/// An estimate from the types alone. REQUIRES: static shapes.
OpWork workOf(mlir::Operation *op);

/// The bytes of a value in memory. Strings count as their descriptors.
int64_t bytesOf(mlir::Type type);

} // namespace graphc

#endif
