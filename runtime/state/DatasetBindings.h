// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files behind a model's datasets, and the batches that steps take from
// them.
#ifndef GRAPHC_RUNTIME_STATE_DATASETBINDINGS_H
#define GRAPHC_RUNTIME_STATE_DATASETBINDINGS_H

#include "runtime/data/ShardedSource.h"
#include "runtime/executor/Executor.h"

#include <vector>

namespace graphc::runtime {

/// Thread-safety: one call at a time, but for nextBatch(), which the programs
/// of a step call for different parts of a batch.
class DatasetBindings final : public HostCalls {
public:
  /// `readerThreads`: that read a dataset, see DatasetSpec.
  DatasetBindings(const Model &model, uint64_t seed, int readerThreads = 0);

  /// Opens `files` ("FILE[,FILE...][@BEGIN:END]") for a dataset, from its first
  /// example on, or from the one after `skip` batches; replaces what was bound
  /// before. OUT_OF_RANGE: there are not so many batches.
  Status bind(std::string_view name, std::string_view files, uint64_t skip = 0);

  /// Goes on after the first `batches` of what is bound to a dataset; see
  /// DataSource::rewind(). REQUIRES: something is.
  Status rewind(uint32_t dataset, uint64_t batches) {
    return sources[dataset]->rewind(batches);
  }

  /// Source that is bound to the dataset of that index, or null.
  const DataSource *source(uint32_t index) const {
    return sources[index].get();
  }

  /// Records batches that threads read ahead for the dataset.
  void recordBatches(uint32_t dataset,
                     const std::shared_ptr<StepTimeline> &timeline);

  Status nextBatch(const BatchCall &call,
                   std::span<std::byte *const> fields) override;

  /// OUT_OF_RANGE when a dataset of the graph has no batch left.
  Status beginStep(const format::Graph &graph) override;

private:
  const Model &model;
  uint64_t seed;
  int readerThreads;
  std::vector<std::unique_ptr<DataSource>> sources;
  /// Of the datasets of which some graph reads parts, the same sources.
  std::vector<ShardedSource *> shardedSources;
  std::vector<bool> isSharded;             ///< by dataset
  std::vector<std::vector<uint32_t>> used; ///< datasets, by graph
};

} // namespace graphc::runtime

#endif
