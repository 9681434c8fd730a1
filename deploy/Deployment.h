// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data common to all manifests of a plan.
#ifndef GRAPHC_DEPLOY_DEPLOYMENT_H
#define GRAPHC_DEPLOY_DEPLOYMENT_H

#include "deploy/Manifests.h"
#include "runtime/cluster/ClusterSpec.h"

namespace graphc::deploy {

/// The port that tasks listen on where each has a host of its own.
inline constexpr int kTaskPort = 2222;

/// Folder of the client's own files in a container.
inline constexpr const char *kOutputFolder = "/output";

struct DeployedTask {
  std::string job;
  uint32_t index = 0;
  std::string address;      ///< of the given cluster; empty: none is given
  uint64_t memoryBytes = 0; ///< on the host, for the plan and the process
  unsigned gpus = 0;

  std::string name() const { return job + "-" + std::to_string(index); }
};

struct Deployment {
  ManifestOptions options;
  std::string planFile;            ///< without folder
  std::string planDigest;          ///< as people know the plan
  std::string allowDigest;         ///< as servers do, see --allow
  std::vector<DeployedTask> tasks; ///< as in ClusterSpec
  /// The arguments of graphc-run after the model and the cluster.
  std::vector<std::string> clientArguments;
  bool hasData = false;
  /// Datasets that the client's graph reads, but that nobody named files of.
  std::vector<std::string> missingData;
  std::vector<std::string> missingFeeds; ///< the same of its feeds
  /// True when the client reads or writes files of its own, as weights:
  /// relative to kOutputFolder where it runs in a container.
  bool hasFiles = false;
  int64_t recoveries = 0; ///< how often the client may be started again

  /// The tasks of the plan and of the cluster, if one is given; that must have
  /// those of the plan.
  static runtime::StatusOr<Deployment> make(const runtime::Model &plan,
                                            const ManifestRequest &request);

  bool hasMetrics() const { return options.metricsPort > 0; }
  /// Flag of a server that any host may ask.
  std::string metricsFlag() const {
    return "--metrics=0.0.0.0:" + std::to_string(options.metricsPort);
  }

  /// {"ps": ["a:1"], ...} with the address that `addressOf` gives.
  template <typename Function>
  runtime::StatusOr<runtime::ClusterSpec>
  clusterWith(const Function &addressOf) const {
    std::vector<runtime::ClusterTask> list;
    for (const DeployedTask &task : tasks)
      list.push_back({task.job, task.index, addressOf(task)});
    return runtime::ClusterSpec::make(std::move(list));
  }
};

/// INVALID_ARGUMENT where a file of the client would not be kept when its
/// container ends.
runtime::Status checkContainerFiles(const Deployment &deployment);

/// Letters of a job's name that hosts cannot have become '-'.
std::string hostLabel(const std::string &text);

/// In MiB, rounded up.
uint64_t toMebibytes(uint64_t bytes);

/// 'text' for a POSIX shell.
std::string shellQuote(const std::string &text);

using EmitFunction =
    runtime::StatusOr<std::vector<ManifestFile>>(const Deployment &);
EmitFunction emitKubernetes, emitCompose, emitSystemd, emitSlurm;

} // namespace graphc::deploy

#endif
