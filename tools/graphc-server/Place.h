// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cluster and task of a server, from all ways to specify them.
#ifndef GRAPHC_TOOLS_GRAPHC_SERVER_PLACE_H
#define GRAPHC_TOOLS_GRAPHC_SERVER_PLACE_H

#include "runtime/cluster/ClusterSpec.h"
#include "runtime/rpc/CallTarget.h"
#include "tools/graphc-server/ServerOptions.h"

namespace graphc::server {

struct Place {
  runtime::ClusterSpec cluster;
  runtime::TaskId self = 0;
  runtime::TaskAddress bind;
};

/// `tfConfig`: the text of the variable, or empty. INVALID_ARGUMENT or
/// NOT_FOUND with the fix.
runtime::StatusOr<Place> findPlace(const ServerOptions &options,
                                   const std::string &tfConfig);

} // namespace graphc::server

#endif
