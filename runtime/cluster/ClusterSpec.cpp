// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cluster/ClusterSpec.h"

#include "runtime/base/JobRoles.h"
#include "runtime/base/Suggest.h"
#include "runtime/base/TaskAddress.h"
#include "runtime/format/Quote.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <xxhash.h>

namespace graphc::runtime {

namespace {

constexpr uint32_t kMaxIndex = 2147483647;

/// A letter, then letters, digits and underscores, as in names of devices.
bool isJobName(std::string_view name) {
  StatusOr<DeviceName> device = DeviceName::parse("/job:" + std::string(name));
  return device.isOk() && device->job == name;
}

bool comesBefore(const ClusterTask &a, const ClusterTask &b) {
  return std::tie(a.job, a.index) < std::tie(b.job, b.index);
}

Status checkTask(const ClusterTask &task) {
  if (!isJobName(task.job))
    return invalidArgument(quote(task.job) +
                           " is no name of a job; write a letter, then "
                           "letters, digits and underscores");
  if (task.index > kMaxIndex)
    return invalidArgument(quote(task.name()) +
                           " has a number above 2147483647; use a smaller one");
  StatusOr<TaskAddress> address = TaskAddress::parse(task.address);
  if (!address.isOk())
    return invalidArgument("the address of " + quote(task.name()) + ": " +
                           address.status().message());
  return Status::ok();
}

/// Finds two tasks at one address that has a port.
Status checkAddresses(const std::vector<ClusterTask> &tasks) {
  std::vector<std::pair<std::string, const ClusterTask *>> sorted;
  for (const ClusterTask &task : tasks) {
    TaskAddress address = *TaskAddress::parse(task.address);
    if (address.isUnix() || address.port != 0)
      sorted.emplace_back(address.toString(), &task);
  }
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1].first == sorted[i].first)
      return invalidArgument(quote(sorted[i].first) + " is the address of " +
                             quote(sorted[i - 1].second->name()) + " and of " +
                             quote(sorted[i].second->name()) +
                             "; give each its own");
  return Status::ok();
}

} // namespace

StatusOr<ClusterSpec> ClusterSpec::make(std::vector<ClusterTask> tasks) {
  if (tasks.empty())
    return invalidArgument("the cluster has no tasks; add one, such as "
                           "\"worker\": [\"localhost:2222\"]");
  if (tasks.size() > kMaxTasks)
    return invalidArgument("the cluster has " + std::to_string(tasks.size()) +
                           " tasks; use at most " + std::to_string(kMaxTasks));
  for (const ClusterTask &task : tasks)
    GRAPHC_TRY(checkTask(task));
  std::sort(tasks.begin(), tasks.end(), comesBefore);
  for (size_t i = 1; i < tasks.size(); ++i)
    if (!comesBefore(tasks[i - 1], tasks[i]))
      return invalidArgument(quote(tasks[i].name()) +
                             " is there twice; keep one of them");
  GRAPHC_TRY(checkAddresses(tasks));
  ClusterSpec spec;
  spec.list = std::move(tasks);
  return spec;
}

uint32_t ClusterSpec::workers() const {
  return static_cast<uint32_t>(std::ranges::count_if(
      list, [](const ClusterTask &task) { return isWorkerJob(task.job); }));
}

StatusOr<TaskId> ClusterSpec::find(std::string_view job, uint32_t index) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].job == job && list[i].index == index)
      return static_cast<TaskId>(i);
    names.push_back(list[i].name());
  }
  std::string name = ClusterTask{std::string(job), index, ""}.name();
  return notFound(unknownName("the cluster", "task", name, names));
}

StatusOr<TaskId> ClusterSpec::findDevice(std::string_view device) const {
  GRAPHC_ASSIGN_OR_RETURN(DeviceName name, DeviceName::parse(device));
  if (!name.job || !name.task)
    return notFound(quote(device) + " names no task; write it as "
                                    "'/job:worker/task:0/device:CPU:0'");
  if (name.replica.value_or(0) != 0)
    return notFound(quote(device) +
                    " names another replica than 0, which no cluster has");
  return find(*name.job, static_cast<uint32_t>(*name.task));
}

uint64_t ClusterSpec::digest() const {
  std::string text;
  for (const ClusterTask &task : list)
    text += task.name() + "\n";
  return XXH3_64bits(text.data(), text.size());
}

std::string ClusterSpec::digestText() const {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx",
                static_cast<unsigned long long>(digest()));
  return text;
}

std::string ClusterSpec::json() const {
  nlohmann::ordered_json cluster = nlohmann::ordered_json::object();
  for (size_t begin = 0; begin < list.size();) {
    size_t end = begin;
    bool isDense = true;
    for (; end < list.size() && list[end].job == list[begin].job; ++end)
      isDense = isDense && list[end].index == end - begin;
    nlohmann::ordered_json &job = cluster[list[begin].job];
    for (; begin < end; ++begin)
      if (isDense)
        job.push_back(list[begin].address);
      else
        job[std::to_string(list[begin].index)] = list[begin].address;
  }
  return cluster.dump();
}

} // namespace graphc::runtime
