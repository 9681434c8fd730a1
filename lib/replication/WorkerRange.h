// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variants of a plan, one per number of workers.
#ifndef GRAPHC_LIB_REPLICATION_WORKERRANGE_H
#define GRAPHC_LIB_REPLICATION_WORKERRANGE_H

#include "graphc/Options.h"
#include "runtime/base/Status.h"

#include <string>

namespace graphc {

/// "2..8", as --workers has it.
std::string toText(const WorkerRange &range);

/// InvalidArgument unless the cluster has so many workers, and the other flags
/// let each plan of the range be one for its number of workers.
runtime::Status checkWorkerRange(const CompileOptions &options);

/// The options of the plan for so many workers, resolved (resolveReplication).
/// REQUIRES: checkWorkerRange().
runtime::StatusOr<CompileOptions> optionsForWorkers(CompileOptions options,
                                                    int64_t workers);

} // namespace graphc

#endif
