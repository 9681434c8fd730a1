// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimizers that leave alone what has no gradient.
#ifndef GRAPHC_DIALECTS_TFIR_TRAINING_ROWUPDATES_H
#define GRAPHC_DIALECTS_TFIR_TRAINING_ROWUPDATES_H

#include "mlir/IR/Attributes.h"

namespace graphc::tfir {

/// True for an optimizer by which an element whose gradient is 0 keeps its
/// value, and its slots theirs, and no element depends on another: then an
/// update of the rows that have a gradient is the whole update.
bool keepsWithoutGradient(mlir::Attribute optimizer);

} // namespace graphc::tfir

#endif
