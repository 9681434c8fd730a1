// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/inputs/CostTable.h"

#include "lib/placement/inputs/DeviceItem.h"

#include "llvm/ADT/StringRef.h"

#include <cmath>

using graphc::runtime::DeviceName;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;
using llvm::StringRef;

namespace graphc {

namespace {

constexpr DeviceSpeed kGpu{10e12, 600e9, 5e-6};
constexpr DeviceSpeed kOther{200e9, 20e9, 1e-6};
constexpr LinkSpeed kWithinTask{12e9, 10e-6};
constexpr LinkSpeed kBetweenTasks{1.2e9, 50e-6};

} // namespace

/// Takes the file apart.
class CostTableReader {
public:
  explicit CostTableReader(const runtime::JsonFile &json) : json(json) {}

  Status read();

  CostTable table;

private:
  Status readDevice(const runtime::JsonValue &entry);
  Status readLink(const runtime::JsonValue &entry);
  StatusOr<DeviceName> readName(const runtime::JsonValue &entry, StringRef what,
                                StringRef key) const;
  /// The number of `entry` under that key, if it has one: above 0, or, where
  /// `mayBeZero`, at least 0.
  Status readNumber(const runtime::JsonValue &entry, StringRef key,
                    bool mayBeZero, std::optional<double> &number) const;

  const runtime::JsonFile &json;
};

StatusOr<DeviceName> CostTableReader::readName(const runtime::JsonValue &entry,
                                               StringRef what,
                                               StringRef key) const {
  GRAPHC_ASSIGN_OR_RETURN(const runtime::JsonValue *value,
                          json.member(entry, what.str(), key));
  GRAPHC_ASSIGN_OR_RETURN(std::string text,
                          json.string(*value, "'" + key.str() + "'"));
  return parseDeviceAt(json.place(value->line), text);
}

Status CostTableReader::readNumber(const runtime::JsonValue &entry,
                                   StringRef key, bool mayBeZero,
                                   std::optional<double> &number) const {
  const runtime::JsonValue *value = entry.find(key);
  if (!value)
    return Status::ok();
  double parsed = 0;
  if (value->kind != runtime::JsonValue::Kind::Number ||
      StringRef(value->text).getAsDouble(parsed) || !std::isfinite(parsed) ||
      parsed < 0 || (parsed == 0 && !mayBeZero))
    return json.error(value->line,
                      "'" + key.str() + "' must be a number " +
                          (mayBeZero ? "of seconds, 0 or more" : "above 0") +
                          ", such as " + (mayBeZero ? "5e-6" : "1e10"));
  number = parsed;
  return Status::ok();
}

Status CostTableReader::readDevice(const runtime::JsonValue &entry) {
  constexpr const char *kWhat = "an entry of 'devices'";
  GRAPHC_TRY(json.expectObject(entry, kWhat));
  GRAPHC_TRY(json.onlyKeys(
      entry, kWhat, {"device", "flops", "bytes_per_second", "launch_seconds"}));
  CostTable::DeviceEntry device;
  GRAPHC_ASSIGN_OR_RETURN(device.device, readName(entry, kWhat, "device"));
  GRAPHC_TRY(readNumber(entry, "flops", false, device.flops));
  GRAPHC_TRY(
      readNumber(entry, "bytes_per_second", false, device.bytesPerSecond));
  GRAPHC_TRY(readNumber(entry, "launch_seconds", true, device.launchSeconds));
  table.devices.push_back(std::move(device));
  return Status::ok();
}

Status CostTableReader::readLink(const runtime::JsonValue &entry) {
  constexpr const char *kWhat = "an entry of 'links'";
  GRAPHC_TRY(json.expectObject(entry, kWhat));
  GRAPHC_TRY(json.onlyKeys(
      entry, kWhat, {"from", "to", "bytes_per_second", "latency_seconds"}));
  CostTable::LinkEntry link;
  GRAPHC_ASSIGN_OR_RETURN(link.from, readName(entry, kWhat, "from"));
  GRAPHC_ASSIGN_OR_RETURN(link.to, readName(entry, kWhat, "to"));
  GRAPHC_TRY(readNumber(entry, "bytes_per_second", false, link.bytesPerSecond));
  GRAPHC_TRY(readNumber(entry, "latency_seconds", true, link.latencySeconds));
  table.links.push_back(std::move(link));
  return Status::ok();
}

Status CostTableReader::read() {
  const runtime::JsonValue &root = json.root();
  GRAPHC_TRY(json.expectObject(root, "the cost table"));
  GRAPHC_TRY(json.onlyKeys(root, "the cost table", {"devices", "links"}));
  if (const runtime::JsonValue *devices = root.find("devices")) {
    GRAPHC_TRY(json.expectArray(*devices, "'devices'"));
    for (const runtime::JsonValue &entry : devices->elements)
      GRAPHC_TRY(readDevice(entry));
  }
  if (const runtime::JsonValue *links = root.find("links")) {
    GRAPHC_TRY(json.expectArray(*links, "'links'"));
    for (const runtime::JsonValue &entry : links->elements)
      GRAPHC_TRY(readLink(entry));
  }
  return Status::ok();
}

StatusOr<CostTable> CostTable::parse(const runtime::TextFile &file) {
  GRAPHC_ASSIGN_OR_RETURN(runtime::JsonFile json,
                          runtime::JsonFile::parse(file));
  CostTableReader reader(json);
  GRAPHC_TRY(reader.read());
  return std::move(reader.table);
}

DeviceSpeed CostTable::speedOf(const TargetDevice &device) const {
  DeviceSpeed speed = device.type == "GPU" ? kGpu : kOther;
  for (const DeviceEntry &entry : devices) {
    if (!entry.device.covers(device.name))
      continue;
    speed.flops = entry.flops.value_or(speed.flops);
    speed.bytesPerSecond = entry.bytesPerSecond.value_or(speed.bytesPerSecond);
    speed.launchSeconds = entry.launchSeconds.value_or(speed.launchSeconds);
    break;
  }
  return speed;
}

LinkSpeed CostTable::speedBetween(const TargetDevice &from,
                                  const TargetDevice &to) const {
  LinkSpeed speed =
      from.name.isInSameTaskAs(to.name) ? kWithinTask : kBetweenTasks;
  for (const LinkEntry &entry : links) {
    if (!entry.from.covers(from.name) || !entry.to.covers(to.name))
      continue;
    speed.bytesPerSecond = entry.bytesPerSecond.value_or(speed.bytesPerSecond);
    speed.latencySeconds = entry.latencySeconds.value_or(speed.latencySeconds);
    break;
  }
  return speed;
}

} // namespace graphc
