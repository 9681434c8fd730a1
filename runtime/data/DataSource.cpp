// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/DataSource.h"

#include "runtime/data/Prefetcher.h"
#include "runtime/data/TableSource.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

// Gathering a smaller batch from memory takes less time than getting it from
// another thread. Measured on two cores with rows of 3 KiB: in place 0.1 ms
// against 0.3 ms for 100 rows, 0.6 against 1.2 ms for 1000, 4.3 against 2.7 ms
// for 5000.
constexpr size_t kThreadPays = 4 << 20;

} // namespace

StatusOr<std::unique_ptr<DataSource>>
openDataset(const DatasetSpec &spec, std::string_view files, uint64_t runSeed) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source,
                          TableSource::open(spec, files, runSeed));
  std::vector<size_t> batchBytes;
  size_t total = 0;
  for (const DatasetSpec::Field &field : spec.fields) {
    batchBytes.push_back(field.type.numBytes() *
                         static_cast<size_t>(spec.batch));
    total += batchBytes.back();
  }
  if (spec.prefetch == 0 || total < kThreadPays)
    return source;
  // Reading further ahead than a pass would only take memory.
  int64_t depth = std::min(spec.prefetch, source->batchesPerEpoch());
  return Prefetcher::start(std::move(source), batchBytes,
                           static_cast<size_t>(depth));
}

} // namespace graphc::runtime
