// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One create function per pass of Passes.td, options structs, and
// registerGraphcPasses for tools that take pass names.
#ifndef GRAPHC_INCLUDE_GRAPHC_PASSES_H
#define GRAPHC_INCLUDE_GRAPHC_PASSES_H

#include "graphc/Choices.h"
#include "graphc/VariableHome.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace graphc {

class PlacementLog;
struct LoggedCosts;

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "graphc/Passes.h.inc"

/// With a log that is filled with every decision, and with the costs that are
/// wanted; null: none.
std::unique_ptr<mlir::Pass> createPlacePass(const PlacePassOptions &options,
                                            const LoggedCosts &wanted,
                                            PlacementLog *log);

/// Writes to `report`, with the reasons that the log of the placement has;
/// without a log when it is null.
std::unique_ptr<mlir::Pass> createMakeReportPass(const PlacementLog *log,
                                                 std::string &report);

} // namespace graphc

#endif
