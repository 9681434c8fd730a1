// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of graphs that run as a pipeline, and of their ops. Only the
// compiler writes them.
#ifndef GRAPHC_DIALECTS_TFIR_PIPELINEATTRS_H
#define GRAPHC_DIALECTS_TFIR_PIPELINEATTRS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace graphc::tfir {

/// Division of a graph into stages, `tfir.pipeline` of a tfir.graph. Its
/// micro-batches are the graph's `replicas`.
struct PipelineSpec {
  int64_t stages = 0;
  /// One forward pass, then one backward pass, in place of all of them.
  bool isOneFOneB = false;
};

/// Nothing for a graph that is no pipeline.
std::optional<PipelineSpec> getPipeline(mlir::Operation *graph);
void setPipeline(mlir::Operation *graph, std::optional<PipelineSpec> spec);

/// Number that orders the ops of a pipeline, `tfir.slot`. Up to phase
/// 'differentiated': the op's place on the way of one micro-batch, of 2 K for K
/// stages: stage k forward is k, backward 2 K - 1 - k. From 'replicated' on:
/// the turn of the op's device in which it runs.
std::optional<int64_t> getSlot(mlir::Operation *op);
void setSlot(mlir::Operation *op, std::optional<int64_t> slot);

/// True for the name of one of these attributes.
bool isPipelineAttr(llvm::StringRef name);

/// Checks that the attribute, one of these, has the right form and owner.
llvm::LogicalResult verifyPipelineAttr(mlir::Operation *op,
                                       mlir::NamedAttribute attr);

} // namespace graphc::tfir

#endif
