// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Location of a kernel's launch: those of the ops in it, with their work.
#ifndef GRAPHC_LIB_TARGET_COMMON_FUSEDPLACE_H
#define GRAPHC_LIB_TARGET_COMMON_FUSEDPLACE_H

#include "mlir/IR/Location.h"

#include <utility>

namespace graphc {

/// An op of a kernel by its name and place, and its estimated arithmetic.
using FusedPlace = std::pair<mlir::NameLoc, double>;

/// REQUIRES: two places or more, each once. Messages show the first.
mlir::Location fusePlaces(llvm::ArrayRef<FusedPlace> places);

/// Returns what fusePlaces() was given; empty: it did not make the location.
llvm::SmallVector<FusedPlace> fusedPlaces(mlir::Location location);

} // namespace graphc

#endif
