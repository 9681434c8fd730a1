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

/// Adds the passes that lead from the phase before to `phase`.
void buildPhase(mlir::OpPassManager &pm, Phase phase,
                const CompileOptions &options);

/// Checks what no pass can: attributes of a source that nobody but the compiler
/// may write, and those of the module itself; emits errors.
mlir::LogicalResult verifySource(mlir::ModuleOp module);

/// Checks that the module has the form that `phase` promises; emits errors.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, Phase phase);

} // namespace graphc

#endif
