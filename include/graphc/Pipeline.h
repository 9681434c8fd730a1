// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The phases of the compiler, in order. lib/pipeline/Pipeline.cpp says what
// each one does.
#ifndef GRAPHC_INCLUDE_GRAPHC_PIPELINE_H
#define GRAPHC_INCLUDE_GRAPHC_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <optional>

namespace graphc {

struct CompileOptions;
class PlacementLog;

/// The number is that of the dump file (`03-differentiated.mlir`) and leaves
/// room for the phases between them.
enum class Phase {
  Parsed = 1,         ///< static shapes, names, no device scopes
  Differentiated = 2, ///< no gradients; variables are updated by tfir.apply
  Replicated = 3,     ///< towers; state is read at the top, written at the end
  Placed = 4,         ///< every op and variable is on a device
  Partitioned = 5,    ///< one graph per device, with sends and recvs
  Lowered = 6,        ///< launches of kernels; kernels are linalg
  Scheduled = 7,      ///< programs over slots
  Compiled = 8,       ///< machine code
};

inline constexpr Phase kAllPhases[] = {
    Phase::Parsed,    Phase::Differentiated, Phase::Replicated,
    Phase::Placed,    Phase::Partitioned,    Phase::Lowered,
    Phase::Scheduled, Phase::Compiled};

/// The name as in `--stop-after`.
llvm::StringRef phaseName(Phase phase);
std::optional<Phase> parsePhase(llvm::StringRef name);

/// All names in order: "parsed, differentiated, ...".
std::string phaseNames();

/// The form of a module of the phase, in a few words.
llvm::StringRef phasePromise(Phase phase);

/// Written by passes beside the module. Null: not asked for.
struct PipelineOutputs {
  PlacementLog *placement = nullptr; ///< every decision
  std::string *report = nullptr;     ///< JSON of makeReport()
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
/// several numbers of workers, each of which is one (CompileFamily.h).
void buildFamily(mlir::OpPassManager &pm);

/// Checks what no pass can: attributes of a source that nobody but the compiler
/// may write, and those of the module itself; emits errors.
mlir::LogicalResult verifySource(mlir::ModuleOp module);

/// Checks that the module has the form that `phase` promises; emits errors.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, Phase phase);

} // namespace graphc

#endif
