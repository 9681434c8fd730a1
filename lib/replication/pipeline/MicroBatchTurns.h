// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order in which the device of a stage takes up micro-batches.
#ifndef GRAPHC_LIB_REPLICATION_PIPELINE_MICROBATCHTURNS_H
#define GRAPHC_LIB_REPLICATION_PIPELINE_MICROBATCHTURNS_H

#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/Tfir.h"

namespace graphc {

/// Turns of the devices of a pipeline, of which each has 2 M for M
/// micro-batches: a forward and a backward pass of each. Thread-safety:
/// immutable once made.
class MicroBatchTurns {
public:
  /// Of a graph that is no pipeline, nothing may be asked.
  explicit MicroBatchTurns(tfir::GraphOp graph)
      : pipeline(tfir::getPipeline(graph).value_or(tfir::PipelineSpec())),
        microBatches(graph.getTowers()) {}

  /// The turn of a micro-batch at a place on its way, 0 to 2 K - 1 for K stages
  /// (getSlot of phase 'differentiated').
  int64_t of(int64_t place, int64_t microBatch) const;

  /// The turn of what comes after all others.
  int64_t last() const { return 2 * microBatches; }

  int64_t count() const { return microBatches; }
  bool isBackward(int64_t place) const { return place >= pipeline.stages; }
  /// The stage of a place on the way.
  int64_t stageOf(int64_t place) const {
    return isBackward(place) ? 2 * pipeline.stages - 1 - place : place;
  }

private:
  tfir::PipelineSpec pipeline;
  int64_t microBatches;
};

} // namespace graphc

#endif
