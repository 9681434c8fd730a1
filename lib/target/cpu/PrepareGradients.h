// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of convolutions in the forms that have micro-kernels.
#ifndef GRAPHC_LIB_TARGET_CPU_PREPAREGRADIENTS_H
#define GRAPHC_LIB_TARGET_CPU_PREPAREGRADIENTS_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// Replaces
///   conv2d_backprop_input f, dy   by  prepare_filter f, once for all images,
///                                     conv2d_prepared_backprop_input
///   conv2d_backprop_filter x, dy  by  sum over the parts of
///                                     conv2d_filter_partials
/// and leaves other ops alone.
void prepareGradient(mlir::Operation *op);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_PREPAREGRADIENTS_H
