// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/DeviceRequests.h"

#include "runtime/base/Suggest.h"
#include "runtime/base/Texts.h"

#include <algorithm>
#include <set>

using namespace mlir;
using graphc::runtime::DeviceName;
using graphc::runtime::quote;

namespace graphc {

using namespace tfir;

namespace {

/// The form of devices after tfir-flatten-device-scopes.
constexpr StringLiteral kDeviceForm =
    "a device such as #tfir.device<\"/device:GPU:0\">";

DeviceName withoutDevice(DeviceName name) {
  name.type.reset();
  name.id.reset();
  return name;
}

/// The values of one field of all devices that `spec` covers.
template <typename Field>
std::vector<std::string> valuesOf(const DeviceSet &devices,
                                  const DeviceName &spec, Field field) {
  std::set<std::string> values;
  for (size_t device : devices.matching(spec))
    values.insert(field(devices[device]));
  return {values.begin(), values.end()};
}

/// Describes the first field of a name that no device has, and what there is
/// instead.
std::string describeMissing(const DeviceSet &devices, const DeviceName &spec) {
  DeviceName known;
  known.job = spec.job;
  if (devices.matching(known).empty())
    return runtime::unknownName(
        "the cluster", "job", *spec.job,
        valuesOf(devices, {},
                 [](const TargetDevice &d) { return *d.name.job; }));
  std::string where = known.toString().empty() ? "the set" : known.toString();
  auto taskOf = [](const TargetDevice &d) {
    return d.name.taskName().toString();
  };
  std::vector<std::string> tasks = valuesOf(devices, known, taskOf);
  known.replica = spec.replica;
  known.task = spec.task;
  if (devices.matching(known).empty())
    return "no task is '" + known.toString() + "'; " + where + " has " +
           runtime::quotedList(tasks);
  where = known.toString().empty() ? "the set" : known.toString();
  std::vector<std::string> types =
      valuesOf(devices, known, [](const TargetDevice &d) { return d.type; });
  known.type = spec.type;
  if (devices.matching(known).empty())
    return runtime::unknownName(where, "device of the kind", *spec.type, types);
  return where + " has no device '" + spec.toString() + "'";
}

} // namespace

std::string availableDevices(const DeviceSet &devices) {
  std::vector<const TargetDevice *> sorted;
  for (const TargetDevice &device : devices.devices())
    sorted.push_back(&device);
  llvm::sort(sorted, [](const TargetDevice *a, const TargetDevice *b) {
    return a->name < b->name;
  });
  std::vector<std::string> names;
  for (const TargetDevice *device : sorted)
    names.push_back(device->fullName);
  return runtime::quotedList(names);
}

std::string requestText(const PlacementProblem &problem,
                        const PlacementNode &node) {
  std::string text = quote(problem.specs[node.spec].toString());
  if (node.rule)
    text +=
        " by the rule '" + node.rule->text + "' (" + node.rule->origin + ")";
  return text;
}

DeviceRequests::DeviceRequests(PlacementProblem &problem,
                               const PlacementRules &rules, bool soft)
    : problem(problem), rules(rules), soft(soft) {
  intern({}); // 0 asks for nothing
}

uint32_t DeviceRequests::intern(const DeviceName &name) {
  auto [entry, isNew] =
      numbers.try_emplace(name.toString(), problem.specs.size());
  if (!isNew)
    return entry->second;
  auto maskOf = [&](const DeviceName &spec) {
    llvm::BitVector mask(problem.devices->size());
    for (size_t device : problem.devices->matching(spec))
      mask.set(device);
    return problem.masks.intern(mask);
  };
  problem.specs.push_back(name);
  problem.specMasks.push_back(maskOf(name));
  problem.specTaskMasks.push_back(maskOf(withoutDevice(name)));
  return entry->second;
}

LogicalResult DeviceRequests::request(PlacementNode &node, RequestKind kind,
                                      uint32_t spec) {
  if (spec == 0)
    return success();
  node.request = kind;
  node.spec = spec;
  uint32_t needed =
      soft ? problem.specTaskMasks[spec] : problem.specMasks[spec];
  if (!problem.masks.isEmpty(needed))
    return success();
  const DeviceName &name = problem.specs[spec];
  return emitError(node.getLoc())
         << "'" << node.name << "' (" << node.kind << ") requests "
         << requestText(problem, node) << ", but "
         << describeMissing(*problem.devices, soft ? withoutDevice(name) : name)
         << "; request one of the devices to compile for, "
         << availableDevices(*problem.devices) << ", or add it to these";
}

LogicalResult DeviceRequests::readAssigned(PlacementNode &node,
                                           Attribute attr) {
  auto [entry, isNew] = interned.try_emplace(attr, 0);
  if (isNew) {
    auto device = dyn_cast<DeviceAttr>(attr);
    auto error = [&]() -> InFlightDiagnostic {
      interned.erase(attr);
      InFlightDiagnostic diagnostic = node.op->emitOpError()
                                      << "'" << node.name << "' has ";
      if (device)
        diagnostic << "\"" << device.getText() << "\"";
      else
        diagnostic << attr;
      return std::move(diagnostic << " as 'assigned_device'");
    };
    if (!device)
      return error() << ", expected " << kDeviceForm;
    const DeviceName &name = device.getDeviceName();
    if (!name.isFull())
      return error() << ", which leaves parts open; name one device in full, "
                     << "or write it as 'device'";
    if (problem.devices->matching(name).empty())
      return error() << ", but " << describeMissing(*problem.devices, name)
                     << "; there are " << availableDevices(*problem.devices);
    entry->second = intern(name);
  }
  node.request = RequestKind::Assigned;
  node.spec = entry->second;
  return success();
}

LogicalResult DeviceRequests::readDevice(PlacementNode &node, Attribute attr) {
  auto [entry, isNew] = interned.try_emplace(attr, 0);
  if (isNew) {
    auto device = dyn_cast<DeviceAttr>(attr);
    if (!device) {
      interned.erase(attr);
      return node.op->emitOpError() << "has " << attr << " as 'device', "
                                    << "expected " << kDeviceForm;
    }
    entry->second = intern(device.getDeviceName());
  }
  return request(node, RequestKind::Device, entry->second);
}

LogicalResult DeviceRequests::read(PlacementNode &node) {
  if (node.op) {
    if (Attribute attr = getAssignedDeviceAttr(node.op))
      return readAssigned(node, attr);
    if (Attribute attr = getRequestedDeviceAttr(node.op))
      return readDevice(node, attr);
  }
  if (rules.empty())
    return success();
  RuleSubject subject{
      node.name, node.kind,
      node.op ? node.op->getName().getStringRef() : StringRef("tfir.feed"),
      node.graph == kNoNode ? StringRef()
                            : problem.graphs[node.graph].getSymName()};
  node.rule = rules.match(subject);
  if (!node.rule)
    return success();
  auto [entry, isNew] = ruleSpecs.try_emplace(node.rule, 0);
  if (isNew)
    entry->second = intern(node.rule->device);
  return request(node, RequestKind::Rule, entry->second);
}

} // namespace graphc
