// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/ClusterFile.h"

#include "runtime/base/Suggest.h"
#include "runtime/base/TaskAddress.h"
#include "runtime/base/Texts.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using graphc::runtime::DeviceName;
using graphc::runtime::quote;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;
using llvm::StringRef;

namespace graphc {

namespace {

class ClusterReader {
public:
  explicit ClusterReader(const JsonFile &json) : json(json) {}

  Status read();

  ClusterFile result;

private:
  Status readJobs(const JsonValue &cluster);
  Status readJob(const JsonValue::Member &job);
  Status readTask(const std::string &job, int index, const JsonValue &address);
  Status readDevices(const JsonValue &entries);
  Status readDevicesOf(const DeviceName &task, const JsonValue &devices);
  Status readClient(const JsonValue &client);
  StatusOr<DeviceName> readTaskName(int line, const std::string &text) const;

  const JsonFile &json;
  std::map<std::string, DeviceName> taskAt; ///< by address
};

Status ClusterReader::readTask(const std::string &job, int index,
                               const JsonValue &address) {
  DeviceName task{job, 0, index, std::nullopt, std::nullopt};
  std::string name = quote(task.toString());
  GRAPHC_ASSIGN_OR_RETURN(std::string text,
                          json.string(address, "the address of " + name));
  StatusOr<runtime::TaskAddress> place = runtime::TaskAddress::parse(text);
  if (!place.isOk())
    return json.error(address.line, "the address of " + name + ": " +
                                        place.status().message());
  auto [known, added] = taskAt.try_emplace(text, task);
  // Several tasks may take any free port of a host.
  bool isAnyPort = !place->isUnix() && place->port == 0;
  if (!added && !isAnyPort)
    return json.error(address.line, quote(text) + " is the address of " +
                                        quote(known->second.toString()) +
                                        " and of " + name +
                                        "; give each its own");
  if (!result.tasks.insert(task).second)
    return json.error(address.line, name + " is there twice; keep one of them");
  if (result.tasks.size() > kMaxDevices)
    return json.error(address.line, "the cluster has more than " +
                                        std::to_string(kMaxDevices) +
                                        " tasks; use fewer");
  return Status::ok();
}

Status ClusterReader::readJob(const JsonValue::Member &job) {
  StatusOr<DeviceName> name = DeviceName::parse("/job:" + job.key);
  if (!name.isOk() || name->job != job.key)
    return json.error(job.line, quote(job.key) +
                                    " is no name of a job; write a letter, "
                                    "then letters, digits and underscores");
  if (job.value.kind == JsonValue::Kind::Object) {
    for (const JsonValue::Member &task : job.value.members) {
      std::optional<int> index = parseIndex(task.key);
      if (!index)
        return json.error(task.line, quote(task.key) +
                                         " is no number of a task; write one "
                                         "from 0 to 2147483647");
      GRAPHC_TRY(readTask(job.key, *index, task.value));
    }
  } else {
    GRAPHC_TRY(json.expectArray(job.value, "job " + quote(job.key)));
    for (auto [index, address] : llvm::enumerate(job.value.elements))
      GRAPHC_TRY(readTask(job.key, int(index), address));
  }
  if (job.value.members.empty() && job.value.elements.empty())
    return json.error(job.line, "job " + quote(job.key) +
                                    " has no tasks; give it an address or "
                                    "leave it out");
  return Status::ok();
}

Status ClusterReader::readJobs(const JsonValue &cluster) {
  GRAPHC_TRY(json.expectObject(cluster, "'cluster'"));
  for (const JsonValue::Member &job : cluster.members)
    GRAPHC_TRY(readJob(job));
  if (result.tasks.empty())
    return json.error(cluster.line, "'cluster' has no jobs; add one, such as "
                                    "\"worker\": [\"localhost:2222\"]");
  return Status::ok();
}

/// "/job:worker" or "/job:worker/task:1"; the replica of all tasks is 0.
StatusOr<DeviceName>
ClusterReader::readTaskName(int line, const std::string &text) const {
  StatusOr<DeviceName> name = DeviceName::parse(text);
  if (!name.isOk())
    return name.status().annotate(json.place(line));
  if (!name->job || name->type)
    return json.error(line, quote(text) + " names no task; write it as "
                                          "'/job:worker/task:0'");
  name->replica = name->replica.value_or(0);
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

/// Whether a file is nothing but jobs, as TensorFlow writes clusters:
/// {"ps": [...], "worker": [...]}.
bool isJobsOnly(const JsonValue &root) {
  auto isJob = [](const JsonValue::Member &member) {
    return member.value.kind == JsonValue::Kind::Array ||
           member.value.kind == JsonValue::Kind::Object;
  };
  return !root.members.empty() && llvm::all_of(root.members, isJob) &&
         !root.find("cluster") && !root.find("devices");
}

Status ClusterReader::read() {
  const JsonValue &root = json.root();
  GRAPHC_TRY(json.expectObject(root, "a cluster"));
  if (isJobsOnly(root))
    return readJobs(root);
  GRAPHC_TRY(
      json.onlyKeys(root, "a cluster", {"cluster", "devices", "client"}));
  GRAPHC_ASSIGN_OR_RETURN(const JsonValue *cluster,
                          json.member(root, "the file", "cluster"));
  GRAPHC_TRY(readJobs(*cluster));
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

StatusOr<ClusterFile> ClusterFile::parse(const TextFile &file) {
  GRAPHC_ASSIGN_OR_RETURN(JsonFile json, JsonFile::parse(file));
  ClusterReader reader(json);
  GRAPHC_TRY(reader.read());
  return std::move(reader.result);
}

} // namespace graphc
