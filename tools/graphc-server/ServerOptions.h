// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of graphc-server.
#ifndef GRAPHC_TOOLS_GRAPHC_SERVER_SERVEROPTIONS_H
#define GRAPHC_TOOLS_GRAPHC_SERVER_SERVEROPTIONS_H

#include "runtime/base/Status.h"
#include "runtime/rpc/server/GrpcTask.h"
#include "tools/flags/CommandLine.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc::server {

struct ServerOptions {
  // Which task of which cluster.
  std::string cluster; ///< a file or JSON
  std::string psHosts, workerHosts, chiefHosts;
  std::optional<std::string> job;
  std::optional<uint32_t> task;
  // Address that it listens at.
  std::string bind, advertise, portFile;
  // What it runs with.
  int threads = 0;
  bool virtualGpus = false, shareGpus = false;
  int64_t clockOffsetMillis = 0;
  std::vector<std::string> plans, allowed;
  size_t mostClients = 64;
  runtime::Route route = runtime::Route::Auto;
  int64_t idleExitSeconds = 0; ///< 0: never
  std::string metrics;         ///< where they are served; empty: nowhere
  // Trust.
  std::string tlsDir, makeCerts;
  std::vector<std::string> certHosts;
  bool isInsecure = false;
  // Instead of serving.
  bool isProbe = false, isJson = false;
  std::string digestFile;
};

using flags::kExitBadCommandLine;
using flags::kExitFailure;
inline constexpr int kExitTaken = 3;

/// Options, or to exit with a code after everything was printed.
struct ParsedServerOptions {
  ServerOptions options;
  std::optional<int> exitCode;
};

ParsedServerOptions parseCommandLine(int argc, char **argv);

/// Prints "graphc-server: error: <text>" to stderr.
void printError(const std::string &text);

} // namespace graphc::server

#endif
