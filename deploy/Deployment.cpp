// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "deploy/Deployment.h"

#include "runtime/format/DeviceMemory.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/Quote.h"
#include "runtime/protocol/PlanManifest.h"
#include "runtime/state/GraphPorts.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace graphc::deploy {

using namespace runtime;

namespace {

/// Memory of a server in addition to its plan slice: its own code, connections
/// and transfers in flight.
constexpr uint64_t kProcessBytes = 256ull << 20;

/// Lower-case letters, digits and '-', as names of hosts are.
bool isLabel(const std::string &text) {
  auto isGood = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= 40 && text.front() >= 'a' &&
         text.back() != '-' && std::all_of(text.begin(), text.end(), isGood);
}

Status checkOptions(const ManifestOptions &options) {
  if (!isLabel(options.name))
    return invalidArgument("--name takes at most 40 letters a to z, digits and "
                           "'-', with a letter first, not '" +
                           options.name + "'");
  if (!isLabel(options.namespaceName))
    return invalidArgument("--namespace takes at most 40 letters a to z, "
                           "digits and '-', with a letter first, not '" +
                           options.namespaceName + "'");
  bool hasBlank = std::any_of(options.image.begin(), options.image.end(),
                              [](char c) { return c <= ' ' || c > '~'; });
  if (options.image.empty() || options.image.front() == '-' || hasBlank)
    return invalidArgument("--image takes the name of an image, such as "
                           "registry.example/graphc:0.1.0, not '" +
                           options.image + "'");
  if (options.metricsPort == kTaskPort)
    return invalidArgument(
        "--metrics takes a port of its own; tasks listen on " +
        std::to_string(kTaskPort));
  return Status::ok();
}

/// The graph that a client runs.
StatusOr<std::string> chooseGraph(const Model &plan, const std::string &asked) {
  std::set<std::string> names, applied;
  for (const format::Graph *graph : *plan.index().graphs()) {
    const format::Instance *instance = graph->instance();
    names.insert(
        std::string(instance ? viewOf(instance->of()) : viewOf(graph->name())));
    if (instance)
      applied.insert(std::string(viewOf(instance->apply())));
  }
  if (!asked.empty() && names.count(asked))
    return asked;
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "'" : ", '") + name + "'";
  if (!asked.empty())
    return invalidArgument("the model has no graph '" + asked + "'; it has " +
                           list);
  names.erase("init");
  for (const std::string &name : applied)
    names.erase(name);
  if (names.count("train"))
    return std::string("train");
  if (names.size() == 1)
    return *names.begin();
  return invalidArgument("the model has the graphs " + list +
                         "; name the one to run with --graph");
}

bool hasInstances(const Model &plan) {
  for (const format::Graph *graph : *plan.index().graphs())
    if (graph->instance())
      return true;
  return false;
}

/// The tasks that are started: those of the cluster, or of the plan.
StatusOr<std::vector<DeployedTask>> findTasks(const Model &plan,
                                              const std::string &cluster) {
  std::vector<ClusterTask> needed;
  for (const std::string &task : tasksOf(plan)) {
    DeviceName name = nameOfDevice(task);
    if (!name.job || !name.task)
      return invalidArgument("'" + plan.name() +
                             "' has programs on no task of a cluster");
    needed.push_back(
        {*name.job, static_cast<uint32_t>(*name.task), "localhost:0"});
  }
  ClusterSpec spec;
  if (cluster.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(spec, ClusterSpec::make(needed));
  } else {
    GRAPHC_ASSIGN_OR_RETURN(spec, ClusterSpec::read(cluster));
    for (const ClusterTask &task : needed) {
      StatusOr<TaskId> id = spec.find(task.job, task.index);
      if (!id.isOk())
        return invalidArgument("the plan needs a task that --cluster lacks: " +
                               id.status().message());
    }
  }
  std::vector<DeployedTask> tasks;
  for (const ClusterTask &task : spec.tasks())
    tasks.push_back({task.job, task.index, cluster.empty() ? "" : task.address,
                     kProcessBytes});
  return tasks;
}

void addNeeds(const Model &plan, std::vector<DeployedTask> &tasks) {
  for (const DeviceMemory &memory : deviceMemory(plan.index())) {
    DeviceName device = nameOfDevice(memory.device);
    for (DeployedTask &task : tasks) {
      if (device.job != task.job || device.task != static_cast<int>(task.index))
        continue;
      if (device.type == "CPU")
        task.memoryBytes += memory.total();
      else
        ++task.gpus;
    }
  }
}

/// The datasets of a graph, be it one of each worker.
std::set<std::string> datasetNames(const Model &plan,
                                   const std::string &graphName) {
  std::set<std::string> names;
  for (const format::Graph *graph : *plan.index().graphs()) {
    const format::Instance *instance = graph->instance();
    if (viewOf(instance ? instance->of() : graph->name()) != graphName)
      continue;
    for (uint32_t dataset : datasetsOf(*graph))
      names.insert(plan.index().datasets()->Get(dataset)->name()->str());
  }
  return names;
}

std::set<std::string> feedNames(const Model &plan,
                                const std::string &graphName) {
  std::set<std::string> names;
  for (const format::Graph *graph : *plan.index().graphs()) {
    const format::Instance *instance = graph->instance();
    if (viewOf(instance ? instance->of() : graph->name()) == graphName)
      for (const format::Port *feed : *graph->feeds())
        names.insert(feed->name()->str());
  }
  return names;
}

constexpr const char *kFileFlags[] = {
    "--save=", "--load=", "--json=", "--checkpoint="};

/// The file of an argument such as "--save=FILE"; empty: it names none.
std::string fileOf(const std::string &argument) {
  for (std::string_view flag : kFileFlags)
    if (argument.starts_with(flag))
      return argument.substr(flag.size());
  return {};
}

} // namespace

Status checkContainerFiles(const Deployment &deployment) {
  const std::string folder = std::string(kOutputFolder) + "/";
  for (const std::string &argument : deployment.clientArguments) {
    std::string file = fileOf(argument);
    if (!file.empty() && file.front() == '/' && !file.starts_with(folder))
      return invalidArgument(
          "'" + argument +
          "' names a file that the client's container does not keep; give a "
          "name without folder, which then lies in " +
          kOutputFolder);
  }
  return Status::ok();
}

StatusOr<Deployment> Deployment::make(const Model &plan,
                                      const ManifestRequest &request) {
  GRAPHC_TRY(checkOptions(request.options));
  Deployment result;
  result.options = request.options;
  result.planFile = plan.name().substr(plan.name().rfind('/') + 1);
  result.planDigest = runtime::planDigest(plan);
  GRAPHC_ASSIGN_OR_RETURN(std::string manifest, makePlanManifest(plan));
  result.allowDigest = runtime::allowDigest(manifest);
  GRAPHC_ASSIGN_OR_RETURN(result.tasks, findTasks(plan, request.cluster));
  addNeeds(plan, result.tasks);
  result.hasData = plan.index().datasets()->size() > 0;
  GRAPHC_ASSIGN_OR_RETURN(std::string graph, chooseGraph(plan, request.graph));
  result.clientArguments = {"--graph=" + graph};
  bool isWorkerGiven =
      std::ranges::any_of(request.clientFlags, [](const std::string &flag) {
        return flag.starts_with("--worker=");
      });
  if (hasInstances(plan) && !isWorkerGiven)
    result.clientArguments.push_back("--worker=all");
  if (request.steps)
    result.clientArguments.push_back("--steps=" +
                                     std::to_string(*request.steps));
  for (const auto &[dataset, files] : request.data)
    result.clientArguments.push_back("--data=" + dataset + "=" + files);
  for (const std::string &name : datasetNames(plan, graph))
    if (std::ranges::find(request.data, name,
                          &std::pair<std::string, std::string>::first) ==
        request.data.end())
      result.missingData.push_back(name);
  for (const std::string &name : feedNames(plan, graph))
    if (std::ranges::none_of(request.clientFlags,
                             [&name](const std::string &flag) {
                               return flag.starts_with("--feed=" + name + "=");
                             }))
      result.missingFeeds.push_back(name);
  for (const std::string &flag : request.clientFlags) {
    result.clientArguments.push_back(flag);
    result.hasFiles |= !fileOf(flag).empty();
    constexpr std::string_view kRecover = "--recover=";
    if (flag.starts_with(kRecover))
      result.recoveries = std::atoll(flag.c_str() + kRecover.size());
  }
  return result;
}

std::string hostLabel(const std::string &text) {
  std::string label;
  for (char c : text)
    label += c == '_'               ? '-'
             : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a')
                                    : c;
  return label;
}

uint64_t toMebibytes(uint64_t bytes) {
  return (bytes >> 20) + (bytes % (1 << 20) != 0);
}

std::string shellQuote(const std::string &text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace graphc::deploy
