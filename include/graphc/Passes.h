// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One create function per pass of Passes.td, options structs, and
// registerGraphcPasses for tools that take pass names.
#ifndef GRAPHC_INCLUDE_GRAPHC_PASSES_H
#define GRAPHC_INCLUDE_GRAPHC_PASSES_H

#include "graphc/Choices.h"
#include "graphc/PassResults.h"
#include "graphc/VariableHome.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace graphc {

struct LoggedCosts;

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "graphc/Passes.h.inc"

/// Logs every decision, with the costs that are wanted, and hands the log over;
/// makes none where nobody takes it.
std::unique_ptr<mlir::Pass> createPlacePass(const PlacePassOptions &options,
                                            const LoggedCosts &wanted,
                                            TakePlacement take);

/// Hands over what the pass plans, if somebody takes it.
std::unique_ptr<mlir::Pass>
createOrderMicroBatchesPass(const OrderMicroBatchesPassOptions &options,
                            TakePipeline take);

/// Hands over what --shard-updates divides, if somebody takes it.
std::unique_ptr<mlir::Pass>
createReplicatePass(const ReplicatePassOptions &options, TakeShards take);

/// Hands the report over, with the reasons that the log of the placement has,
/// if there is one.
std::unique_ptr<mlir::Pass> createMakeReportPass(GivePlacement placement,
                                                 TakeReport take);

} // namespace graphc

#endif
