// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/DataSource.h"

#include "runtime/data/Prefetcher.h"
#include "runtime/data/TableSource.h"

namespace graphc::runtime {

StatusOr<std::unique_ptr<DataSource>>
openDataset(const DatasetSpec &spec, std::string_view files, uint64_t runSeed) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TableSource> source,
                          TableSource::openTable(spec, files, runSeed));
  auto ahead = source->aheadOptions(spec);
  if (!ahead)
    return std::unique_ptr<DataSource>(std::move(source));
  std::vector<size_t> rowBytes(source->exampleBytes().begin(),
                               source->exampleBytes().end());
  GRAPHC_ASSIGN_OR_RETURN(
      std::unique_ptr<Prefetcher> prefetcher,
      Prefetcher::start(std::move(source), rowBytes, *ahead));
  return std::unique_ptr<DataSource>(std::move(prefetcher));
}

} // namespace graphc::runtime
