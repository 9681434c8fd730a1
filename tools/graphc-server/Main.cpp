// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-server: one task of a cluster.
#include "runtime/rpc/MakeCerts.h"
#include "tools/graphc-server/Options.h"
#include "tools/graphc-server/Probe.h"
#include "tools/graphc-server/Serve.h"

#include <cstdio>

int main(int argc, char **argv) {
  using namespace graphc;
  server::ParsedCommandLine parsed = server::parseCommandLine(argc, argv);
  if (parsed.exitCode)
    return *parsed.exitCode;
  const server::Options &options = parsed.options;
  if (!options.isProbe && options.makeCerts.empty())
    return server::serve(options);
  runtime::Status status =
      options.isProbe
          ? server::probe(options.isJson)
          : runtime::makeCertificates(options.makeCerts, options.certHosts);
  if (!status.isOk()) {
    server::printError(status.message());
    return server::kExitFailure;
  }
  if (!options.isProbe)
    std::printf("%s/task and %s/client are folders for --tls-dir; %s/ca has "
                "the key of the authority, keep it away from both\n",
                options.makeCerts.c_str(), options.makeCerts.c_str(),
                options.makeCerts.c_str());
  return 0;
}
