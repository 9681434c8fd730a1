// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/inputs/DeviceItem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <iterator>
#include <limits>

using graphc::runtime::DeviceName;
using graphc::runtime::ParsedDeviceName;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;
using llvm::StringRef;

namespace graphc {

namespace {

/// The task of a name is all there or not at all.
Status checkTaskPart(DeviceName &name, StringRef text) {
  if (!name.type || !name.id)
    return runtime::invalidArgument("'" + text.str() +
                                    "' names no single device; add its type "
                                    "and number, such as '/device:GPU:0'");
  if (!name.job && !name.replica && !name.task)
    return Status::ok();
  if (!name.job || !name.task)
    return runtime::invalidArgument(
        "'" + text.str() + "' has no " + (name.job ? "task" : "job") +
        "; write all of it, such as '/job:worker/task:0/device:GPU:0'");
  name.replica = name.replica.value_or(0);
  return Status::ok();
}

} // namespace

std::optional<int> parseIndex(StringRef text) {
  int number = 0;
  if (text.empty() || !llvm::all_of(text, llvm::isDigit) ||
      text.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

StatusOr<ParsedDeviceName> parseUserDevice(StringRef text) {
  if (text.starts_with("/"))
    return runtime::parseDeviceName(text);
  GRAPHC_ASSIGN_OR_RETURN(DeviceName name, DeviceName::parseLocal(text));
  return ParsedDeviceName{std::move(name), std::nullopt};
}

StatusOr<DeviceName> parseDeviceAt(const std::string &place, StringRef text) {
  StatusOr<DeviceName> name = DeviceName::parse(text);
  return name.isOk() ? name : name.status().annotate(place);
}

StatusOr<DeviceItem> parseDeviceRange(StringRef text) {
  DeviceItem item;
  item.text = text.str();
  // No part of a name has a '-': one after the last ':' makes a range.
  size_t colon = text.rfind(':');
  size_t dash = text.find('-', colon);
  bool isRange = dash != StringRef::npos;
  StringRef first = isRange ? text.take_front(dash) : text;
  GRAPHC_ASSIGN_OR_RETURN(ParsedDeviceName parsed, parseUserDevice(first));
  item.first = std::move(parsed.name);
  item.warning = std::move(parsed.warning);
  GRAPHC_TRY(checkTaskPart(item.first, text));
  int begin = *item.first.id;
  item.last = begin;
  if (!isRange)
    return item;
  std::optional<int> end = parseIndex(text.drop_front(dash + 1));
  if (!end)
    return runtime::invalidArgument(
        "'" + item.text +
        "' is no range of devices; write its first and last number, such as "
        "'gpu:0-3', up to 2147483647");
  if (*end < begin)
    return runtime::invalidArgument(
        "'" + item.text + "' runs backwards; write '" +
        first.take_front(colon + 1).str() + std::to_string(*end) + "-" +
        std::to_string(begin) + "'");
  item.last = *end;
  return item;
}

StatusOr<DeviceItem> parseDeviceItem(StringRef text) {
  text = text.trim();
  if (text.empty())
    return runtime::invalidArgument(
        "a device is empty; write one, such as 'gpu:0'");
  auto [name, memory] = text.split('=');
  GRAPHC_ASSIGN_OR_RETURN(DeviceItem item, parseDeviceRange(name.rtrim()));
  item.text = text.str();
  if (!text.contains('='))
    return item;
  GRAPHC_ASSIGN_OR_RETURN(item.memory, parseByteSize(memory.ltrim()));
  return item;
}

StatusOr<int64_t> parseByteSize(StringRef text) {
  static constexpr std::pair<StringRef, int> kUnits[] = {
      {"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  StringRef digits = text.take_while(llvm::isDigit);
  StringRef unit = text.drop_front(digits.size()).ltrim();
  auto *found = llvm::find_if(
      kUnits, [&](const auto &known) { return known.first == unit; });
  int64_t number = 0;
  if (digits.empty() || digits.getAsInteger(10, number) || number == 0 ||
      found == std::end(kUnits) ||
      number > (std::numeric_limits<int64_t>::max() >> found->second))
    return runtime::invalidArgument(
        "'" + text.str() +
        "' is no size in bytes; write a whole number above 0, alone or with "
        "B, KiB, MiB, GiB or TiB, such as '4GiB'");
  return number << found->second;
}

} // namespace graphc
