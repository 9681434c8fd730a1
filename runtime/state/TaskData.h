// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data that a task reads for the steps of a plan, and how much is left.
#ifndef GRAPHC_RUNTIME_STATE_TASKDATA_H
#define GRAPHC_RUNTIME_STATE_TASKDATA_H

#include "runtime/state/DatasetBindings.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Batches that a graph's programs of this task take from a dataset per step.
struct BatchUse {
  uint32_t dataset = 0;
  uint32_t shard = 0, shards = 1;
  uint32_t perStep = 0;
};

/// Batches that these programs of a graph read in a step.
std::vector<BatchUse> batchUses(const format::Graph &graph,
                                const std::vector<uint32_t> &programs);

/// Thread-safety: as DatasetBindings.
class TaskData final : public HostCalls {
public:
  /// `readerThreads`: that read a dataset, see DatasetSpec.
  explicit TaskData(const Model &model, int readerThreads = 0)
      : model(model), readerThreads(readerThreads) {}

  /// Names the files of a dataset; reading starts at the first example, and
  /// passes over `skip` batches. A seed other than before makes all datasets
  /// start anew. `rewinds`: files of that name that are bound stay open.
  /// OUT_OF_RANGE: there are not so many batches.
  Status bind(const std::string &dataset, const std::string &files,
              uint64_t seed, uint64_t skip = 0, bool rewinds = false);

  /// Null: nothing is bound.
  const DataSource *source(uint32_t dataset) const;

  /// FAILED_PRECONDITION that names a dataset without data.
  Status checkBound(const std::vector<BatchUse> &uses,
                    std::string_view graph) const;

  /// Steps that the data still suffice for; -1: without end.
  int64_t stepsAvailable(const std::vector<BatchUse> &uses) const;

  /// Identifies all that is bound: sizes in examples, seed. Empty: nothing is
  /// bound.
  std::string digest() const;
  /// Identifies what is bound to one dataset.
  std::string digest(uint32_t dataset) const;

  /// As DatasetBindings::recordBatches().
  void recordBatches(uint32_t dataset,
                     const std::shared_ptr<StepTimeline> &timeline) {
    if (bindings)
      bindings->recordBatches(dataset, timeline);
  }

  Status nextBatch(const BatchCall &call,
                   std::span<std::byte *const> fields) override;
  Status beginStep(const format::Graph &graph) override;

private:
  std::string describe(uint32_t dataset) const;
  uint32_t shardsOf(uint32_t dataset) const;
  std::optional<uint32_t> findBound(std::string_view dataset,
                                    std::string_view files) const;

  struct Bound {
    std::string files;
    std::vector<uint64_t> taken; ///< batches, by shard
  };

  const Model &model;
  const int readerThreads;
  uint64_t seed = 0;
  std::unique_ptr<DatasetBindings> bindings;
  std::vector<std::optional<Bound>> bounds; ///< by dataset
};

} // namespace graphc::runtime

#endif
