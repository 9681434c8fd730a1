// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-server/Place.h"

namespace graphc::server {

namespace {

using namespace graphc::runtime;

/// A server alone, where no cluster is given.
constexpr const char *kDefaultAddress = "localhost:2222";

StatusOr<ClusterRole> findRole(const ServerOptions &options,
                               const std::string &tfConfig) {
  ClusterRole role;
  if (!options.cluster.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(role.cluster, ClusterSpec::read(options.cluster));
  } else if (!options.psHosts.empty() || !options.workerHosts.empty() ||
             !options.chiefHosts.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(role.cluster,
                            parseHostLists(options.psHosts, options.workerHosts,
                                           options.chiefHosts));
  } else if (!tfConfig.empty()) {
    StatusOr<ClusterRole> parsed = parseTfConfig(tfConfig);
    if (!parsed.isOk())
      return parsed;
    role = *parsed;
    if (role.isEvaluator)
      return invalidArgument(
          "TF_CONFIG makes this task an evaluator, which is no server; start "
          "'graphc-run train MODEL --graph=NAME --train-dir=DIR' here, which "
          "evaluates the checkpoints of a training");
  }
  return role;
}

/// Chooses the task that was named, or the only one.
Status chooseTask(const ServerOptions &options, bool isFromTfConfig,
                  ClusterRole &role) {
  bool isNamed = isFromTfConfig || (options.job && options.task);
  if (options.job)
    role.job = *options.job;
  if (options.task)
    role.index = *options.task;
  if (isNamed || role.cluster.size() == 0)
    return Status::ok();
  const ClusterTask &only = role.cluster.task(0);
  if (role.cluster.size() == 1 && !options.job && !options.task) {
    role.job = only.job;
    role.index = only.index;
    return Status::ok();
  }
  return invalidArgument("the cluster has " +
                         std::to_string(role.cluster.size()) +
                         " tasks; --job=NAME --task=INDEX say which one this "
                         "is");
}

} // namespace

StatusOr<Place> findPlace(const ServerOptions &options,
                          const std::string &tfConfig) {
  GRAPHC_ASSIGN_OR_RETURN(ClusterRole role, findRole(options, tfConfig));
  bool isFromTfConfig = options.cluster.empty() && options.psHosts.empty() &&
                        options.workerHosts.empty() &&
                        options.chiefHosts.empty() && !tfConfig.empty();
  GRAPHC_TRY(chooseTask(options, isFromTfConfig, role));
  if (role.cluster.size() == 0) {
    std::string address = options.bind.empty() ? kDefaultAddress : options.bind;
    GRAPHC_ASSIGN_OR_RETURN(
        role.cluster, ClusterSpec::make({{role.job, role.index, address}}));
  }
  Place place;
  place.cluster = std::move(role.cluster);
  GRAPHC_ASSIGN_OR_RETURN(place.self, place.cluster.find(role.job, role.index));
  const std::string &own = place.cluster.task(place.self).address;
  StatusOr<TaskAddress> bind =
      TaskAddress::parse(options.bind.empty() ? own : options.bind);
  if (!bind.isOk())
    return bind.status().annotate(options.bind.empty()
                                      ? place.cluster.task(place.self).name()
                                      : "--bind");
  place.bind = *bind;
  if (!options.advertise.empty())
    GRAPHC_TRY(parseTarget(options.advertise).status().annotate("--advertise"));
  return place;
}

} // namespace graphc::server
