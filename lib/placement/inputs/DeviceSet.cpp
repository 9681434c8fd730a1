// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/inputs/DeviceSet.h"

#include "lib/placement/inputs/ClusterDevices.h"
#include "lib/placement/inputs/DeviceItem.h"
#include "runtime/base/JobRoles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <limits>
#include <map>
#include <set>
#include <tuple>

using graphc::runtime::DeviceName;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;
using llvm::StringRef;

namespace graphc {

namespace {

int priorityOf(StringRef type) {
  if (type == "GPU")
    return kGpuPriority;
  return type == "CPU" ? kCpuPriority : kOtherPriority;
}

DeviceName localhost() {
  return {"localhost", 0, 0, std::nullopt, std::nullopt};
}

/// Collects what the sources name; the tasks of short names, and hosts, are
/// known only then.
class DeviceSetBuilder {
public:
  Status readDevices(const std::vector<std::string> &options);
  Status readCpuDevices(int64_t count);
  Status readCluster(const runtime::TextFile &file);
  Status readDeviceList(const runtime::TextFile &file);

  /// Gives names without a task the client's, and leaves out all workers but
  /// so many, where that is not 0.
  Status complete(int64_t workers);
  /// Gives every task its CPU:0.
  void addHosts();

  std::vector<TargetDevice> devices;
  DeviceName clientTask;
  std::vector<std::string> warnings;

private:
  Status readListed(const runtime::JsonFile &json,
                    const runtime::JsonValue &entry);
  Status keepWorkers(int64_t count);
  void chooseClient();
  Status add(const DeviceItem &item);

  std::vector<DeviceItem> items;
  std::map<std::string, const DeviceItem *> itemOf; ///< by full name
  std::set<DeviceName> tasks;
  bool hasCluster = false;
  std::optional<DeviceName> wantedClient;
};

Status DeviceSetBuilder::readDevices(const std::vector<std::string> &options) {
  for (const std::string &option : options) {
    llvm::SmallVector<StringRef> parts;
    StringRef(option).split(parts, ',');
    for (StringRef part : parts) {
      StatusOr<DeviceItem> item = parseDeviceItem(part);
      if (!item.isOk())
        return item.status().annotate("--devices=" + option);
      item->place = "--devices";
      items.push_back(*item);
    }
  }
  return Status::ok();
}

Status DeviceSetBuilder::readCpuDevices(int64_t count) {
  if (count < 1 || count > int64_t(kMaxDevices))
    return runtime::invalidArgument("--cpu-devices=" + std::to_string(count) +
                                    " must be from 1 to " +
                                    std::to_string(kMaxDevices));
  DeviceItem item;
  item.first.type = "CPU";
  item.first.id = 0;
  item.last = int(count) - 1;
  item.text = std::to_string(count);
  item.place = "--cpu-devices";
  item.optional = true;
  items.push_back(item);
  return Status::ok();
}

Status DeviceSetBuilder::readCluster(const runtime::TextFile &file) {
  GRAPHC_ASSIGN_OR_RETURN(ClusterDevices cluster, ClusterDevices::parse(file));
  hasCluster = true;
  tasks = std::move(cluster.tasks);
  wantedClient = std::move(cluster.client);
  items = std::move(cluster.devices);
  return Status::ok();
}

Status DeviceSetBuilder::readListed(const runtime::JsonFile &json,
                                    const runtime::JsonValue &entry) {
  constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();
  constexpr int64_t kMaxLong = std::numeric_limits<int64_t>::max();
  GRAPHC_TRY(json.expectObject(entry, "a device"));
  GRAPHC_TRY(json.onlyKeys(entry, "a device", {"name", "priority", "memory"}));
  GRAPHC_ASSIGN_OR_RETURN(const runtime::JsonValue *name,
                          json.member(entry, "a device", "name"));
  GRAPHC_ASSIGN_OR_RETURN(std::string text, json.string(*name, "'name'"));
  StatusOr<DeviceItem> item = parseDeviceRange(text);
  if (!item.isOk())
    return item.status().annotate(json.place(name->line));
  item->place = json.place(name->line);
  if (const runtime::JsonValue *priority = entry.find("priority")) {
    GRAPHC_ASSIGN_OR_RETURN(int64_t number,
                            json.integer(*priority, "'priority'", 0, kMaxInt));
    item->priority = int(number);
  }
  const runtime::JsonValue *memory = entry.find("memory");
  if (memory && memory->kind == runtime::JsonValue::Kind::Number) {
    GRAPHC_ASSIGN_OR_RETURN(item->memory,
                            json.integer(*memory, "'memory'", 1, kMaxLong));
  } else if (memory) {
    GRAPHC_ASSIGN_OR_RETURN(std::string size, json.string(*memory, "'memory'"));
    StatusOr<int64_t> bytes = parseByteSize(size);
    if (!bytes.isOk())
      return bytes.status().annotate(json.place(memory->line));
    item->memory = *bytes;
  }
  items.push_back(*item);
  return Status::ok();
}

Status DeviceSetBuilder::readDeviceList(const runtime::TextFile &file) {
  GRAPHC_ASSIGN_OR_RETURN(runtime::JsonFile json,
                          runtime::JsonFile::parse(file));
  GRAPHC_TRY(json.expectArray(json.root(), "a device list"));
  if (json.root().elements.empty())
    return json.error(json.root().line,
                      "the device list is empty; add a device, such as "
                      "{\"name\": \"cpu:0\"}");
  for (const runtime::JsonValue &entry : json.root().elements)
    GRAPHC_TRY(readListed(json, entry));
  return Status::ok();
}

bool isWorker(const DeviceName &task) {
  return task != localhost() && runtime::isWorkerJob(*task.job);
}

/// REQUIRES: the tasks are known.
Status DeviceSetBuilder::keepWorkers(int64_t count) {
  std::set<DeviceName> left;
  int64_t kept = 0;
  for (const DeviceName &task : tasks)
    if (isWorker(task) && ++kept > count)
      left.insert(task);
  if (wantedClient && left.count(*wantedClient))
    return runtime::invalidArgument(
        "the client " + wantedClient->toString() + " is not one of the first " +
        std::to_string(count) +
        " workers, and a plan for so many leaves it out; choose another "
        "'client' in the cluster file");
  for (const DeviceName &task : left)
    tasks.erase(task);
  llvm::erase_if(items, [&](const DeviceItem &item) {
    return item.first.job && left.count(item.first.taskName());
  });
  return Status::ok();
}

/// REQUIRES: the tasks are known.
void DeviceSetBuilder::chooseClient() {
  clientTask = *tasks.begin();
  auto firstOf = [&](StringRef job) {
    return llvm::find_if(
        tasks, [&](const DeviceName &task) { return task.job == job; });
  };
  if (wantedClient)
    clientTask = *wantedClient;
  else if (!hasCluster && tasks.count(localhost()))
    clientTask = localhost();
  else if (auto chief = firstOf("chief"); chief != tasks.end())
    clientTask = *chief;
  else if (auto worker = firstOf("worker"); worker != tasks.end())
    clientTask = *worker;
}

Status DeviceSetBuilder::add(const DeviceItem &item) {
  TargetDevice device;
  device.name = item.first;
  device.type = *item.first.type;
  device.priority = item.priority.value_or(priorityOf(device.type));
  device.memoryLimit = item.memory;
  // The last number may be the largest there is.
  for (int64_t id = *item.first.id; id <= item.last; ++id) {
    device.name.id = int(id);
    device.fullName = device.name.toString();
    auto [known, added] = itemOf.try_emplace(device.fullName, &item);
    if (added)
      devices.push_back(device);
    else if (!item.optional)
      return runtime::invalidArgument(
          item.place + ": '" + device.fullName + "' is given twice, by '" +
          known->second->text + "' and by '" + item.text + "'; name it once");
    if (devices.size() > kMaxDevices)
      return runtime::invalidArgument(
          item.place + ": with '" + item.text + "' there are more than " +
          std::to_string(kMaxDevices) + " devices; name fewer");
  }
  return Status::ok();
}

Status DeviceSetBuilder::complete(int64_t workers) {
  if (!hasCluster)
    for (const DeviceItem &item : items)
      tasks.insert(item.first.job ? item.first.taskName() : localhost());
  if (workers)
    GRAPHC_TRY(keepWorkers(workers));
  chooseClient();
  for (DeviceItem &item : items) {
    if (!item.first.job)
      item.first = clientTask.overriddenBy(item.first);
    if (!tasks.count(item.first.taskName()))
      return runtime::invalidArgument(
          item.place + "=" + item.text + ": " +
          unknownTask(item.first.taskName().toString(), tasks));
    GRAPHC_TRY(add(item));
    std::string warning = item.place + ": " + item.warning.value_or("");
    // An entry of a cluster may be for many tasks.
    if (item.warning && !llvm::is_contained(warnings, warning))
      warnings.push_back(warning);
  }
  return Status::ok();
}

void DeviceSetBuilder::addHosts() {
  for (const DeviceName &task : tasks) {
    TargetDevice host;
    host.name = task.hostDevice();
    host.fullName = host.name.toString();
    host.type = "CPU";
    host.priority = kCpuPriority;
    host.implied = true;
    if (!itemOf.count(host.fullName))
      devices.push_back(host);
  }
}

} // namespace

StatusOr<DeviceSet> DeviceSet::make(const DeviceSources &sources) {
  DeviceSetBuilder builder;
  bool others =
      !sources.devices.empty() || sources.cpuDevices || sources.cluster;
  if (sources.deviceList && others)
    return runtime::invalidArgument(
        sources.deviceList->path +
        ": a device list is complete; leave out --devices, --cpu-devices and "
        "--cluster");
  if (!sources.deviceList && !others)
    return runtime::failedPrecondition("there are no devices to compile for; "
                                       "give some, such as --devices=cpu:0");
  if (sources.deviceList)
    GRAPHC_TRY(builder.readDeviceList(*sources.deviceList));
  if (sources.cluster)
    GRAPHC_TRY(builder.readCluster(*sources.cluster));
  GRAPHC_TRY(builder.readDevices(sources.devices));
  if (sources.cpuDevices)
    GRAPHC_TRY(builder.readCpuDevices(*sources.cpuDevices));
  GRAPHC_TRY(builder.complete(sources.workers));
  if (!sources.deviceList)
    builder.addHosts();
  return DeviceSet(std::move(builder.devices), std::move(builder.clientTask),
                   std::move(builder.warnings));
}

DeviceSet DeviceSet::makeDefault() {
  TargetDevice cpu;
  cpu.name = localhost().hostDevice();
  cpu.fullName = cpu.name.toString();
  cpu.type = "CPU";
  cpu.priority = kCpuPriority;
  return DeviceSet({cpu}, localhost());
}

DeviceSet::DeviceSet(std::vector<TargetDevice> found, DeviceName clientTask,
                     std::vector<std::string> warnings)
    : all(std::move(found)), clientName(std::move(clientTask)),
      notes(std::move(warnings)) {
  llvm::sort(all, [&](const TargetDevice &a, const TargetDevice &b) {
    bool awayA = !a.name.isInSameTaskAs(clientName);
    bool awayB = !b.name.isInSameTaskAs(clientName);
    return std::tie(b.priority, awayA, a.name) <
           std::tie(a.priority, awayB, b.name);
  });
  for (auto [index, device] : llvm::enumerate(all))
    byName[device.fullName] = index;
  for (const TargetDevice &device : all)
    hosts.push_back(find(device.name.hostDevice()));
  client = find(clientName.hostDevice());
}

std::optional<size_t> DeviceSet::find(const DeviceName &name) const {
  if (!name.type || !name.id)
    return std::nullopt;
  auto known = byName.find(clientName.overriddenBy(name).toString());
  if (known == byName.end())
    return std::nullopt;
  return known->second;
}

llvm::SmallVector<size_t> DeviceSet::matching(const DeviceName &spec) const {
  llvm::SmallVector<size_t> found;
  for (auto [index, device] : llvm::enumerate(all))
    if (spec.covers(device.name))
      found.push_back(index);
  return found;
}

std::vector<DeviceName> DeviceSet::workerTasks() const {
  std::set<DeviceName> tasks;
  for (const TargetDevice &device : all)
    if (isWorker(device.name.taskName()))
      tasks.insert(device.name.taskName());
  return {tasks.begin(), tasks.end()};
}

} // namespace graphc
