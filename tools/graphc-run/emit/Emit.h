// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What other programs need to start the tasks of a plan: manifests for
// Kubernetes and Compose, units for systemd, a batch script for Slurm. They
// name the plan by its digest; the plan itself, its kernels and secrets are not
// in them.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_EMIT_EMIT_H
#define GRAPHC_TOOLS_GRAPHC_RUN_EMIT_EMIT_H

#include "runtime/format/Model.h"
#include "tools/graphc-run/emit/EmitFlags.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphc::run {

/// What is emitted.
struct EmitRequest {
  EmitFlags flags;
  std::string cluster; ///< a file or JSON; empty: the tasks of the plan
  std::string graph;   ///< empty: "train", or the only one
  std::optional<int64_t> steps;
  std::vector<std::pair<std::string, std::string>> data; ///< dataset, files
  /// Further arguments of the client as they were given, such as
  /// "--save=FILE" and "--recover=3".
  std::vector<std::string> clientFlags;
};

struct EmittedFile {
  std::string name;
  std::string text;
};

/// Deterministic. INVALID_ARGUMENT names a flag or a task that does not fit.
runtime::StatusOr<std::vector<EmittedFile>>
emitManifests(const runtime::Model &plan, const EmitRequest &request);

/// Emits into the folder `outDir`, which must be there, or to stdout where that
/// is empty: several files with a line "# file: NAME" before each. Says on
/// stderr what the client will lack.
runtime::Status writeManifests(const runtime::Model &plan,
                               const EmitRequest &request,
                               const std::string &outDir);

} // namespace graphc::run

#endif
