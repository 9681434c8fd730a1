// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-run: runs a graph of a model.bin in this process.
#include "tools/graphc-run/Options.h"
#include "tools/graphc-run/Run.h"

int main(int argc, char **argv) {
  graphc::run::ParsedCommandLine parsed =
      graphc::run::parseCommandLine(argc, argv);
  if (parsed.exitCode)
    return *parsed.exitCode;
  graphc::runtime::StatusOr<int> exitCode = graphc::run::run(parsed.options);
  if (exitCode.isOk())
    return *exitCode;
  graphc::run::printError(exitCode.status().message());
  return graphc::run::kExitFailure;
}
