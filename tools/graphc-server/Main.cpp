// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-server: one task of a cluster.
#include "runtime/rpc/MakeCerts.h"
#include "tools/graphc-server/Probe.h"
#include "tools/graphc-server/Serve.h"
#include "tools/graphc-server/ServerOptions.h"

#include <cstdio>

namespace {

graphc::runtime::Status makeCerts(const std::string &dir,
                                  const std::vector<std::string> &hosts) {
  GRAPHC_TRY(graphc::runtime::makeCertificates(dir, hosts));
  std::printf("%s/task and %s/client are folders for --tls-dir; %s/ca has the "
              "key of the authority, keep it away from both\n",
              dir.c_str(), dir.c_str(), dir.c_str());
  return graphc::runtime::Status::ok();
}

} // namespace

int main(int argc, char **argv) {
  using namespace graphc;
  server::ParsedServerOptions parsed = server::parseCommandLine(argc, argv);
  if (parsed.exitCode)
    return *parsed.exitCode;
  const server::ServerOptions &options = parsed.options;
  runtime::Status status;
  if (options.isProbe)
    status = server::probe(options.isJson);
  else if (!options.digestFile.empty())
    status = server::printDigest(options.digestFile);
  else if (!options.makeCerts.empty())
    status = makeCerts(options.makeCerts, options.certHosts);
  else
    return server::serve(options);
  if (status.isOk())
    return 0;
  server::printError(status.message());
  return server::kExitFailure;
}
