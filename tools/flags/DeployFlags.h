// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags about manifests: graphc-deploy's, and graphc-run's with --emit.
#ifndef GRAPHC_TOOLS_FLAGS_DEPLOYFLAGS_H
#define GRAPHC_TOOLS_FLAGS_DEPLOYFLAGS_H

#include "deploy/Manifests.h"
#include "tools/flags/RunFlags.h"

#include <string>
#include <vector>

namespace graphc::flags {

struct DeployFlags {
  std::string kind; ///< a name of deploy::kManifestKinds; empty: not given
  deploy::ManifestOptions options;
  /// Additional arguments of the client, as they were given.
  std::vector<std::string> clientArguments;
};

/// "kubernetes, compose, ... or slurm".
std::string manifestKinds();

/// Adds `kindFlag` with the kinds of manifests, and the flags that complete it,
/// under the heading `group`; an empty one hides them.
void addDeployFlags(CLI::App &app, DeployFlags &flags, const char *kindFlag,
                    const char *group);

/// Converts what was parsed: the value of `kindFlag`, and the flags of `app`
/// that the client is started with. INVALID_ARGUMENT lists the kinds.
runtime::Status convertDeployFlags(const CLI::App &app, const char *kindFlag,
                                   DeployFlags &flags);

/// The name of an option of the parser: "--flag", or that of a positional.
std::string optionName(const CLI::Option &option);

/// Makes the manifests of `run`'s model and writes them to its folder or to
/// stdout. Prints to stderr, after the tool's name, what the client will lack.
runtime::Status deployPlan(const char *tool, const DeployFlags &flags,
                           const RunFlags &run, const std::string &cluster);

} // namespace graphc::flags

#endif
