// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts that ClusterSpec::parse and TF_CONFIG share.
#ifndef GRAPHC_RUNTIME_CLUSTER_CLUSTERFILE_H
#define GRAPHC_RUNTIME_CLUSTER_CLUSTERFILE_H

#include "runtime/cluster/ClusterJson.h"
#include "runtime/cluster/ClusterSpec.h"

#include <optional>

namespace graphc::runtime {

/// The jobs of an object job -> list of addresses or map of index -> address.
StatusOr<ClusterSpec> readJobs(std::string_view where, const ClusterJson &jobs);

/// A task's number, digits only; nothing: it is none.
std::optional<uint32_t> parseTaskIndex(std::string_view text);

/// "a list" and so on, for messages.
const char *clusterKindName(ClusterJson::Kind kind);

} // namespace graphc::runtime

#endif
