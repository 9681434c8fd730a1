// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the phases of the compiler, which lib/pipeline/Pipeline.cpp lists with
// their passes.
#ifndef GRAPHC_INCLUDE_GRAPHC_PIPELINE_H
#define GRAPHC_INCLUDE_GRAPHC_PIPELINE_H

#include "graphc/Choices.h"
#include "graphc/PassResults.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <optional>

namespace graphc {

struct CompileOptions;

inline constexpr Phase kAllPhases[] = {
    Phase::Parsed,    Phase::Differentiated, Phase::Replicated,
    Phase::Placed,    Phase::Partitioned,    Phase::Lowered,
    Phase::Scheduled, Phase::Compiled};

/// All names in order: "parsed, differentiated, ...".
std::string phaseNames();

/// Takers of what passes make beside the module. Null: not asked for.
struct PipelineOutputs {
  TakePlacement takePlacement;
  TakePipeline takePipeline;
  TakeShards takeShards;
  GivePlacement placement; ///< gives what was taken to the report
  TakeReport takeReport;
};

/// Adds the check of what the compiler reads: a source, or, with a phase, a
/// text that `--stop-after` printed. Devices of the options replace those of
/// such a text.
void buildInput(mlir::OpPassManager &pm, std::optional<Phase> phase,
                const CompileOptions &options);

/// Adds the passes that lead from the phase before to `phase`, and the check of
/// what they give.
void buildPhase(mlir::OpPassManager &pm, Phase phase,
                const CompileOptions &options,
                const PipelineOutputs &outputs = {});

/// Adds the passes that make one module of phase `scheduled` of the plans for
/// several numbers of workers, each of which is one (CompileVariants.h).
void buildVariants(mlir::OpPassManager &pm);

/// Checks what no pass can: attributes of a source that nobody but the compiler
/// may write, and those of the module itself; emits errors.
mlir::LogicalResult verifySource(mlir::ModuleOp module);

/// Checks that the module has the form that `phase` promises; emits errors.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, Phase phase);

} // namespace graphc

#endif
