// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serves a task until it is told to end.
#ifndef GRAPHC_TOOLS_GRAPHC_SERVER_SERVE_H
#define GRAPHC_TOOLS_GRAPHC_SERVER_SERVE_H

#include "tools/graphc-server/ServerOptions.h"

namespace graphc::server {

/// Prints what --allow takes for a model.bin.
runtime::Status printDigest(const std::string &path);

/// The exit code; failures are printed.
int serve(const ServerOptions &options);

} // namespace graphc::server

#endif
