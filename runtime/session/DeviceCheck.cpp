// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/DeviceCheck.h"

#include "runtime/format/HostVariant.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"
#include "runtime/target/DeviceTargets.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphc::runtime {

namespace {

constexpr size_t kMaxListed = 8;
constexpr std::string_view kNoGpuCode = "--gpu-arch=none";

bool hasFlag(const Model &model, std::string_view flag) {
  const auto *flags = model.index().flags();
  return flags && std::any_of(flags->begin(), flags->end(),
                              [&](const flatbuffers::String *given) {
                                return viewOf(given) == flag;
                              });
}

/// "CPU:0, CPU:1 and CPU:2"; long lists end with how many there are.
std::string listOf(const std::vector<std::string> &names) {
  std::string text;
  size_t listed = names.size() > kMaxListed ? kMaxListed - 1 : names.size();
  for (size_t i = 0; i < listed; ++i) {
    bool isLast = i + 1 == names.size();
    text += i == 0 ? "" : isLast ? " and " : ", ";
    text += names[i];
  }
  if (listed < names.size())
    text += " and " + std::to_string(names.size() - listed) + " others";
  return text;
}

/// "ps:1,worker:2": how many tasks of each job there must be.
std::string taskCounts(const std::set<DeviceName> &tasks) {
  std::map<std::string, int> counts;
  for (const DeviceName &task : tasks)
    if (task.job)
      counts[*task.job] =
          std::max(counts[*task.job], task.task.value_or(0) + 1);
  std::string text;
  for (const auto &[job, count] : counts)
    text += (text.empty() ? "" : ",") + job + ":" + std::to_string(count);
  return text;
}

} // namespace

std::set<std::string> acceleratorsOf(const Model &model) {
  std::set<std::string> names;
  auto add = [&](std::string_view device) {
    if (isAccelerator(nameOfDevice(device)))
      names.emplace(device);
  };
  for (const format::Graph *graph : *model.index().graphs())
    for (const format::Program *program : *graph->programs())
      add(deviceOf(model.index(), *program));
  for (const format::Variable *variable : *model.index().variables())
    add(deviceOf(model.index(), *variable));
  return names;
}

Status checkDevices(const Model &model, bool virtualGpus) {
  std::set<DeviceName> tasks, others;
  for (const format::Graph *graph : *model.index().graphs())
    for (const format::Program *program : *graph->programs()) {
      DeviceName device = nameOfDevice(deviceOf(model.index(), *program));
      tasks.insert(device.taskName());
      if (!canExecute(model, *graph, device))
        others.insert(device);
    }
  if (virtualGpus)
    return Status::ok();
  std::vector<std::string> names;
  if (tasks.size() > 1) {
    for (const DeviceName &task : tasks)
      names.push_back(task.toString());
    return failedPrecondition(
        quote(model.name()) + " is compiled for the tasks " + listOf(names) +
        ", and this process is one task; name the cluster that it is to run "
        "on: --target=ADDRESS of servers that run, --spawn=" +
        taskCounts(tasks) +
        " for a server per task on this machine, or --local-cluster for tasks "
        "in this process (--virtual-gpus runs the programs of all without any "
        "cluster)");
  }
  for (const DeviceName &device : others) {
    DeviceName local;
    local.type = device.type;
    local.id = device.id;
    std::string name = local.toString();
    constexpr std::string_view kPrefix = "/device:";
    names.push_back(name.starts_with(kPrefix) ? name.substr(kPrefix.size())
                                              : name);
  }
  if (names.empty())
    return Status::ok();
  if (hasFlag(model, kNoGpuCode))
    return failedPrecondition(
        quote(model.name()) + " needs " + listOf(names) +
        ", but was compiled with " + std::string(kNoGpuCode) +
        "; let the CPU execute their programs with --virtual-gpus, or "
        "recompile without that flag");
  return failedPrecondition(
      quote(model.name()) + " needs " + listOf(names) +
      ", which this process does not have; let the CPU execute their programs "
      "with --virtual-gpus, or recompile with --devices=cpu:0");
}

} // namespace graphc::runtime
