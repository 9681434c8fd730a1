// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/inputs/ClusterDevices.h"

#include "runtime/base/Suggest.h"
#include "runtime/base/Texts.h"
#include "runtime/cluster/ClusterFile.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using graphc::runtime::DeviceName;
using graphc::runtime::JsonFile;
using graphc::runtime::JsonValue;
using graphc::runtime::quote;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;

namespace graphc {

namespace {

class ClusterReader {
public:
  explicit ClusterReader(const JsonFile &json) : json(json) {}

  Status read();

  ClusterDevices result;

private:
  Status readTasks();
  Status readDevices(const JsonValue &entries);
  Status readDevicesOf(const DeviceName &task, const JsonValue &devices);
  Status readClient(const JsonValue &client);
  StatusOr<DeviceName> readTaskName(int line, const std::string &text) const;

  const JsonFile &json;
};

Status ClusterReader::readTasks() {
  GRAPHC_ASSIGN_OR_RETURN(const JsonValue *jobs, runtime::findJobs(json));
  GRAPHC_ASSIGN_OR_RETURN(runtime::ClusterSpec spec,
                          runtime::readJobs(json, *jobs));
  for (const runtime::ClusterTask &task : spec.tasks())
    result.tasks.insert({task.job, 0, static_cast<int>(task.index),
                         std::nullopt, std::nullopt});
  return Status::ok();
}

/// "/job:worker" or "/job:worker/task:1"; the replica of all tasks is 0.
StatusOr<DeviceName>
ClusterReader::readTaskName(int line, const std::string &text) const {
  GRAPHC_ASSIGN_OR_RETURN(DeviceName name,
                          parseDeviceAt(json.place(line), text));
  if (!name.job || name.type)
    return json.error(line, quote(text) + " names no task; write it as "
                                          "'/job:worker/task:0'");
  name.replica = name.replica.value_or(0);
  return name;
}

Status ClusterReader::readDevicesOf(const DeviceName &task,
                                    const JsonValue &devices) {
  for (const JsonValue &element : devices.elements) {
    GRAPHC_ASSIGN_OR_RETURN(std::string text, json.string(element, "a device"));
    StatusOr<DeviceItem> item = parseDeviceItem(text);
    if (!item.isOk())
      return item.status().annotate(json.place(element.line));
    if (item->first.job)
      return json.error(element.line, quote(text) +
                                          " names a task, which its key does "
                                          "already; write only 'gpu:0'");
    item->first = task.overriddenBy(item->first);
    item->place = json.place(element.line);
    result.devices.push_back(*item);
  }
  return Status::ok();
}

Status ClusterReader::readDevices(const JsonValue &entries) {
  GRAPHC_TRY(json.expectObject(entries, "'devices'"));
  std::map<DeviceName, const JsonValue *> devicesOf;
  for (const JsonValue::Member &entry : entries.members) {
    GRAPHC_ASSIGN_OR_RETURN(DeviceName key,
                            readTaskName(entry.line, entry.key));
    if (!devicesOf.try_emplace(key, &entry.value).second)
      return json.error(entry.line,
                        quote(entry.key) + " is there twice; keep one of them");
    auto isMeant = [&](const DeviceName &task) { return key.covers(task); };
    if (llvm::none_of(result.tasks, isMeant))
      return json.error(entry.line, unknownTask(entry.key, result.tasks));
    GRAPHC_TRY(
        json.expectArray(entry.value, "the devices of " + quote(entry.key)));
    if (entry.value.elements.empty())
      return json.error(entry.value.line, quote(entry.key) +
                                              " has no devices; name one, or "
                                              "leave it out to have 'cpu:0'");
  }
  for (const DeviceName &task : result.tasks) {
    DeviceName job{task.job, task.replica, {}, {}, {}};
    auto found = devicesOf.find(task);
    if (found == devicesOf.end())
      found = devicesOf.find(job);
    if (found != devicesOf.end())
      GRAPHC_TRY(readDevicesOf(task, *found->second));
  }
  return Status::ok();
}

Status ClusterReader::readClient(const JsonValue &client) {
  GRAPHC_ASSIGN_OR_RETURN(std::string text, json.string(client, "'client'"));
  GRAPHC_ASSIGN_OR_RETURN(DeviceName task, readTaskName(client.line, text));
  if (!result.tasks.count(task))
    return json.error(client.line, unknownTask(text, result.tasks));
  result.client = task;
  return Status::ok();
}

Status ClusterReader::read() {
  GRAPHC_TRY(readTasks());
  const JsonValue &root = json.root();
  if (!root.find("cluster"))
    return Status::ok();
  if (const JsonValue *devices = root.find("devices"))
    GRAPHC_TRY(readDevices(*devices));
  if (const JsonValue *client = root.find("client"))
    GRAPHC_TRY(readClient(*client));
  return Status::ok();
}

} // namespace

std::string unknownTask(const std::string &name,
                        const std::set<DeviceName> &tasks) {
  std::vector<std::string> names;
  for (const DeviceName &task : tasks)
    names.push_back(task.toString());
  return runtime::unknownName("the cluster", "task", name, names);
}

StatusOr<ClusterDevices> ClusterDevices::parse(const runtime::TextFile &file) {
  GRAPHC_ASSIGN_OR_RETURN(JsonFile json,
                          JsonFile::parse(file, runtime::kClusterLimits));
  ClusterReader reader(json);
  GRAPHC_TRY(reader.read());
  return std::move(reader.result);
}

} // namespace graphc
