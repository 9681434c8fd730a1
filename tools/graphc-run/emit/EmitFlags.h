// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of graphc-run that are only for --emit.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_EMIT_EMITFLAGS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_EMIT_EMITFLAGS_H

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace graphc::run {

struct EmitFlags {
  std::string kind; ///< "kubernetes", "compose", "systemd" or "slurm"; empty:
                    ///< nothing is emitted
  std::string image = "graphc";
  std::string namespaceName = "default";
  std::string name = "graphc"; ///< of what is made, e.g. of the Service
  bool isTls = false;
};

void addEmitFlags(CLI::App &app, EmitFlags &flags);

} // namespace graphc::run

#endif
