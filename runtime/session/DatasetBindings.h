// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files behind a model's datasets, and the batches that steps take from
// them.
#ifndef GRAPHC_RUNTIME_SESSION_DATASETBINDINGS_H
#define GRAPHC_RUNTIME_SESSION_DATASETBINDINGS_H

#include "runtime/data/DataSource.h"
#include "runtime/executor/Executor.h"

#include <vector>

namespace graphc::runtime {

/// Thread-safety: one call at a time.
class DatasetBindings final : public HostCalls {
public:
  DatasetBindings(const Model &model, uint64_t seed);

  /// Opens `files` ("FILE[,FILE...][@BEGIN:END]") for a dataset, from its first
  /// example on; replaces what was bound before.
  Status bind(std::string_view name, std::string_view files);

  /// What is bound to dataset number `index`, or null.
  const DataSource *source(uint32_t index) const {
    return sources[index].get();
  }

  Status nextBatch(uint32_t dataset,
                   std::span<std::byte *const> fields) override;

private:
  const Model &model;
  uint64_t seed;
  std::vector<std::unique_ptr<DataSource>> sources;
};

} // namespace graphc::runtime

#endif
