// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts that ClusterSpec::parse, TF_CONFIG and the compiler share.
#ifndef GRAPHC_RUNTIME_CLUSTER_CLUSTERFILE_H
#define GRAPHC_RUNTIME_CLUSTER_CLUSTERFILE_H

#include "runtime/cluster/ClusterSpec.h"
#include "runtime/json/JsonFile.h"

#include <optional>

namespace graphc::runtime {

/// More names no cluster.
inline constexpr JsonLimits kClusterLimits = {1 << 20, 8, 4096};

/// The object of jobs in a cluster's file: its "cluster", or the whole.
/// Failures name file, line and field.
StatusOr<const JsonValue *> findJobs(const JsonFile &json);

/// The tasks of an object job -> list of addresses or map of index -> address.
StatusOr<ClusterSpec> readJobs(const JsonFile &json, const JsonValue &jobs);

/// A task's index, digits only; nothing: it is none.
std::optional<uint32_t> parseTaskIndex(std::string_view text);

} // namespace graphc::runtime

#endif
