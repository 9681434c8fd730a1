// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Precondition of passes that look at one block of ops only.
#ifndef GRAPHC_LIB_FRONTEND_FLATGRAPH_H
#define GRAPHC_LIB_FRONTEND_FLATGRAPH_H

#include "dialects/tfir/ops/control/TfirControlOps.h"

namespace graphc {

/// Emits an error when a device scope or a loop is left in the graph. Gradients
/// that are written by hand stay until differentiation.
inline llvm::LogicalResult requireFlat(tfir::GraphOp graph) {
  for (auto scope : graph.getBlock().getOps<tfir::DeviceOp>())
    return scope.emitOpError(
        "is left; run tfir-flatten-device-scopes before this pass");
  for (auto control : graph.getBlock().getOps<tfir::ControlOpInterface>())
    if (!llvm::isa<tfir::CustomGradientOp>(control))
      return control.emitError(
          "a loop is left; run tfir-expand-control before this pass");
  return llvm::success();
}

} // namespace graphc

#endif
