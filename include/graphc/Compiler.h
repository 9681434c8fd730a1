// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler as a library.
#ifndef GRAPHC_INCLUDE_GRAPHC_COMPILER_H
#define GRAPHC_INCLUDE_GRAPHC_COMPILER_H

#include "graphc/Options.h"
#include "runtime/base/Status.h"

#include "mlir/IR/DialectRegistry.h"

#include <memory>

namespace llvm {
class MemoryBuffer;
}

namespace graphc {

class PlacementLog;

/// Result of a compilation: a model.bin, or the text of the phase at which it
/// was asked to stop.
struct CompileResult {
  std::vector<std::byte> model;
  std::string text;
  /// Every decision of phase 'placed'; empty where the phase did not run.
  std::shared_ptr<const PlacementLog> placement;
  /// The stages of pipelines in words; empty where there is none.
  std::string pipeline;
  /// The result of --shard-updates in words; empty without it.
  std::string shards;
};

/// Registers all dialects, and interfaces of foreign ones, that the compiler
/// uses.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Compiles the text in `source`, whose identifier is its file's name.
/// Diagnostics, with the line and a caret, go to stderr. Deterministic: the
/// same text and options give the same bytes. Thread-safety: one call at a
/// time, as the linker inside has global state.
mlir::FailureOr<CompileResult>
compile(std::unique_ptr<llvm::MemoryBuffer> source,
        const CompileOptions &options);

/// The passes that compile() runs with the options: of each phase its name and
/// promise, then a line per pass in MLIR's textual form. InvalidArgument, as
/// compile() reports it, where options contradict each other.
runtime::StatusOr<std::string> printPipeline(const CompileOptions &options);

} // namespace graphc

#endif
