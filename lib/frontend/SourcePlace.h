// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places in the source that a module was parsed from.
#ifndef GRAPHC_LIB_FRONTEND_SOURCEPLACE_H
#define GRAPHC_LIB_FRONTEND_SOURCEPLACE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"

namespace graphc {

/// The first place in the module's own file that a location has: of what an
/// imported text has made, that of the call. Any first place where the module
/// has no file; null where there is none.
mlir::FileLineColLoc placeInSource(mlir::ModuleOp module,
                                   mlir::Location location);

} // namespace graphc

#endif
