// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/pipeline/ResolveOptions.h"

#include "lib/replication/ResolveReplication.h"
#include "lib/replication/WorkerRange.h"

namespace graphc {

runtime::StatusOr<CompileOptions> resolveOptions(CompileOptions options) {
  if (options.replication.workers) {
    GRAPHC_TRY(checkWorkerRange(options));
    return optionsForWorkers(options, options.replication.workers->last);
  }
  GRAPHC_TRY(resolveReplication(options));
  return options;
}

bool hasVariants(const CompileOptions &options) {
  const std::optional<WorkerRange> &workers = options.replication.workers;
  return workers && !workers->isOne() &&
         options.stopAfter.value_or(Phase::Compiled) >= Phase::Scheduled;
}

} // namespace graphc
