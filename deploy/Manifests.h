// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifests: the files with which schedulers start the tasks of a plan and the
// client that runs it. They name the plan by its digest; the plan itself, its
// kernels and secrets are not in them.
#ifndef GRAPHC_DEPLOY_MANIFESTS_H
#define GRAPHC_DEPLOY_MANIFESTS_H

#include "runtime/format/Model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphc::deploy {

/// The scheduler that reads the files.
enum class ManifestKind {
  Kubernetes, ///< objects in YAML
  Compose,    ///< a Compose file
  Systemd,    ///< units
  Slurm       ///< a batch script
};

/// The kinds by name, in the order in which they are listed.
inline constexpr std::pair<std::string_view, ManifestKind> kManifestKinds[] = {
    {"kubernetes", ManifestKind::Kubernetes},
    {"compose", ManifestKind::Compose},
    {"systemd", ManifestKind::Systemd},
    {"slurm", ManifestKind::Slurm}};

struct ManifestOptions {
  ManifestKind kind = ManifestKind::Kubernetes;
  std::string image = "graphc";
  std::string namespaceName = "default";
  std::string name = "graphc"; ///< of what is made, e.g. of the Service
  bool isTls = false;
  /// Port at which tasks serve their counters to Prometheus; 0: none.
  int metricsPort = 0;
};

/// Tasks and a client to start.
struct ManifestRequest {
  ManifestOptions options;
  std::string cluster; ///< a file or JSON; empty: the tasks of the plan
  std::string graph;   ///< empty: "train", or the only one
  std::optional<int64_t> steps;
  std::vector<std::pair<std::string, std::string>> data; ///< dataset, files
  /// Further arguments of the client as they were given, such as
  /// "--save=FILE" and "--recover=3".
  std::vector<std::string> clientFlags;
};

struct ManifestFile {
  std::string name;
  std::string text;
};

struct Manifests {
  std::vector<ManifestFile> files;
  /// Notes on what the client will lack, one sentence each.
  std::vector<std::string> notes;
};

/// Deterministic. INVALID_ARGUMENT names a flag or a task that does not fit.
runtime::StatusOr<Manifests> makeManifests(const runtime::Model &plan,
                                           const ManifestRequest &request);

/// Writes the files into the folder `outDir`, which must be there, or to stdout
/// if that is empty: several files with a line "# file: NAME" before each.
runtime::Status writeManifests(const Manifests &manifests,
                               const std::string &outDir);

} // namespace graphc::deploy

#endif
