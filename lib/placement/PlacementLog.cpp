// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/PlacementLog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <tuple>

using llvm::StringRef;

namespace graphc {

namespace {

/// The version of toJson's fields.
constexpr int kJsonVersion = 1;

/// Names are the user's and may hold any bytes.
std::string jsonText(StringRef text) { return llvm::json::fixUTF8(text); }

/// As a key of a lock: in quotes where it could not be read back as it is.
std::string lockKey(StringRef key) {
  bool isPlain = !key.empty() && llvm::all_of(key, [](char c) {
    return llvm::isPrint(c) && c != ' ' && c != '"' && c != '#' && c != '\\';
  });
  if (isPlain)
    return key.str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '"';
  llvm::printEscapedString(key, stream); // '\' and two hexadecimal digits
  stream << '"';
  return text;
}

} // namespace

uint32_t TextTable::add(StringRef text) {
  auto [entry, isNew] = numbers.try_emplace(text, all.size());
  if (isNew)
    all.push_back(text.str());
  return entry->second;
}

StringRef reasonName(PlacementReason reason) {
  switch (reason) {
  case PlacementReason::OnlyDevice:
    return "only-device";
  case PlacementReason::Assigned:
    return "assigned";
  case PlacementReason::Request:
    return "request";
  case PlacementReason::Replication:
    return "replication";
  case PlacementReason::UserRule:
    return "rule";
  case PlacementReason::Colocated:
    return "colocated";
  case PlacementReason::Kernel:
    return "kernel";
  case PlacementReason::Generator:
    return "generator";
  case PlacementReason::Metadata:
    return "metadata";
  case PlacementReason::Policy:
    return "policy";
  case PlacementReason::Client:
    return "client";
  case PlacementReason::First:
    return "first";
  }
  llvm_unreachable("unknown reason");
}

std::string PlacementLog::placeOf(const PlacementRecord &record) const {
  if (record.file == kNoNode)
    return "";
  return texts[record.file] + ":" + std::to_string(record.line) + ":" +
         std::to_string(record.column);
}

std::string PlacementLog::keyOf(const PlacementRecord &record) const {
  return (record.graph == kNoNode ? "@" : texts[record.graph] + "/") +
         record.name;
}

std::string PlacementLog::whyNotOf(const PlacementRecord &record,
                                   const ExcludedBy &excluded) const {
  if (excluded.why == Exclusion::None || excluded.node >= records.size())
    return "";
  const PlacementRecord &other = records[excluded.node];
  bool isOwn = &other == &record;
  std::string who = isOwn ? "it"
                          : "'" + other.name +
                                "', with which it shares "
                                "a device,";
  std::string request = other.request == kNoNode ? "" : texts[other.request];
  switch (excluded.why) {
  case Exclusion::None:
    break;
  case Exclusion::Assigned:
    return who + " is assigned to " + request;
  case Exclusion::Request:
    if (other.asker != kNoNode)
      return texts[other.asker] + " asks for " + request +
             (isOwn ? ""
                    : " for '" + other.name +
                          "', with which it shares a "
                          "device");
    return who + " asks for " + request;
  case Exclusion::UserRule:
    return "rule " + request + " asks for another one" +
           (isOwn ? ""
                  : " for '" + other.name + "', with which it shares a device");
  case Exclusion::Kernel:
    return who + " has no kernel there (" + texts[other.kind] + ")";
  }
  return "";
}

std::string PlacementLog::whyOf(const PlacementRecord &record) const {
  const PlacementRecord *subject =
      record.subject == kNoNode ? nullptr : &records[record.subject];
  bool isOwn = subject == &record;
  std::string name = subject ? "'" + subject->name + "'" : "";
  std::string request =
      subject && subject->request != kNoNode ? texts[subject->request] : "";
  std::string why;
  switch (record.reason) {
  case PlacementReason::OnlyDevice:
    why = "there is no other device";
    break;
  case PlacementReason::Assigned:
    why = "it is assigned to " + request;
    break;
  case PlacementReason::Request:
    why = "it asks for " + request;
    break;
  case PlacementReason::Replication:
    why = texts[record.asker] + " asks for " + request;
    break;
  case PlacementReason::UserRule:
    why = "rule " + request + " asks for it";
    break;
  case PlacementReason::Colocated:
    why = "it shares a device with " + name + ", which is asked to be on " +
          request;
    break;
  case PlacementReason::Kernel:
    why = isOwn || !subject ? "no other device has a kernel for it"
                            : "it shares a device with " + name +
                                  ", for which no other device has a kernel";
    break;
  case PlacementReason::Generator:
    why = "all its users are there, such as " + name;
    break;
  case PlacementReason::Metadata:
    why = "it asks only for the shape of " + name + ", which is there";
    break;
  case PlacementReason::Policy:
    why = "policy " + policy + " chose it";
    break;
  case PlacementReason::Client:
    why = "feeds come from there, and its users are not all on one device";
    break;
  case PlacementReason::First:
    why = "it would go where its users are, but they are not all on one "
          "device that it may be on, and this is the first of those";
    break;
  }
  if (record.isRequestIgnored)
    why += "; that " + (record.asker == kNoNode ? "it" : texts[record.asker]) +
           " asks for " + texts[record.request] + " does not count, and " +
           std::to_string(record.movedBytes) +
           " bytes per step move between it and others";
  return why;
}

//===-- As text -----------------------------------------------------------===//

static void printText(const PlacementLog &log, llvm::raw_ostream &stream,
                      bool isLegacy) {
  std::string mapping;
  llvm::raw_string_ostream lines(mapping);
  auto nameOf = [&](const LoggedDevice &device) -> const std::string & {
    return isLegacy ? device.legacyName : device.name;
  };
  for (const LoggedDevice &device : log.devices) {
    if (device.type == "CPU")
      continue;
    lines << nameOf(device) << " -> device: " << device.id << ", name: virtual "
          << device.type;
    if (device.memoryLimit)
      lines << ", memory: " << *device.memoryLimit << " bytes";
    lines << "\n";
  }
  stream << "Device mapping:" << (mapping.empty() ? " no known devices." : "")
         << "\n"
         << mapping;
  for (bool isPostponed : {false, true})
    for (const PlacementRecord &record : log.records)
      if (record.isPostponed == isPostponed)
        stream << record.name << ": (" << log.texts[record.kind]
               << "): " << nameOf(log.devices[record.device]) << "\n";
}

void PlacementLog::printLock(llvm::raw_ostream &stream) const {
  std::vector<std::string> lines;
  for (const PlacementRecord &record : records)
    lines.push_back(lockKey(keyOf(record)) + " " + devices[record.device].name);
  llvm::sort(lines);
  stream << "# Where graphc put each op and variable; --locked=FILE keeps "
            "them there.\n";
  for (const std::string &line : lines)
    stream << line << "\n";
}

//===-- As JSON -----------------------------------------------------------===//

static void writeDevices(const PlacementLog &log, llvm::json::OStream &json) {
  json.attributeArray("devices", [&] {
    for (const LoggedDevice &device : log.devices)
      json.object([&] {
        json.attribute("name", device.name);
        json.attribute("type", device.type);
        if (device.memoryLimit)
          json.attribute("memory_limit", *device.memoryLimit);
        json.attribute("ops", device.ops);
        json.attribute("variable_bytes", device.variableBytes);
      });
  });
}

static void writeHead(const PlacementLog &log, llvm::json::OStream &json) {
  json.attribute("version", kJsonVersion);
  json.attribute("policy", log.policy);
  if (log.stepSeconds)
    json.attribute("step_seconds", *log.stepSeconds);
  writeDevices(log, json);
}

/// The records by graph and name; variables first.
static std::vector<const PlacementRecord *> sorted(const PlacementLog &log) {
  std::vector<const PlacementRecord *> order;
  for (const PlacementRecord &record : log.records)
    order.push_back(&record);
  auto graphOf = [&](const PlacementRecord *record) {
    return record->graph == kNoNode ? StringRef()
                                    : StringRef(log.texts[record->graph]);
  };
  llvm::sort(order, [&](const auto *a, const auto *b) {
    return std::tuple(graphOf(a), StringRef(a->name), a) <
           std::tuple(graphOf(b), StringRef(b->name), b);
  });
  return order;
}

static void writeRecord(const PlacementLog &log, const PlacementRecord &record,
                        llvm::json::OStream &json) {
  json.object([&] {
    if (record.graph != kNoNode)
      json.attribute("graph", jsonText(log.texts[record.graph]));
    json.attribute("name", jsonText(record.name));
    json.attribute("kind", jsonText(log.texts[record.kind]));
    json.attribute("device", log.devices[record.device].name);
    json.attribute("rule", reasonName(record.reason));
    json.attribute("why", jsonText(log.whyOf(record)));
    if (record.request != kNoNode)
      json.attribute("request", jsonText(log.texts[record.request]));
    if (record.isRequestIgnored)
      json.attribute("moved_bytes", static_cast<int64_t>(record.movedBytes));
    if (record.file != kNoNode)
      json.attribute("line", jsonText(log.placeOf(record)));
    json.attributeArray("alternatives", [&] {
      for (const LoggedAlternative &other : log.alternatives(record))
        for (unsigned device = other.first; device <= other.last; ++device) {
          if (device == record.device)
            continue;
          json.object([&] {
            json.attribute("device", log.devices[device].name);
            if (other.excluded.why != Exclusion::None)
              json.attribute("excluded",
                             jsonText(log.whyNotOf(record, other.excluded)));
            else if (other.cost)
              json.attribute("cost_seconds", *other.cost);
          });
        }
    });
  });
}

static void printJson(const PlacementLog &log, llvm::raw_ostream &stream) {
  llvm::json::OStream json(stream, 1);
  json.object([&] {
    writeHead(log, json);
    json.attributeArray("ops", [&] {
      for (const PlacementRecord *record : sorted(log))
        writeRecord(log, *record, json);
    });
  });
  stream << "\n";
}

void PlacementLog::print(llvm::raw_ostream &stream, LogForm form) const {
  if (form == LogForm::Json)
    return printJson(*this, stream);
  printText(*this, stream, form == LogForm::Legacy);
}

std::string PlacementLog::toJson() const {
  TextTable shared;
  auto text = [&](StringRef words) { return shared.add(jsonText(words)); };
  std::string result;
  llvm::raw_string_ostream stream(result);
  llvm::json::OStream json(stream);
  json.object([&] {
    writeHead(*this, json);
    json.attributeArray("ops", [&] {
      for (const PlacementRecord *record : sorted(*this))
        json.object([&] {
          if (record->graph != kNoNode)
            json.attribute("graph", text(texts[record->graph]));
          json.attribute("name", jsonText(record->name));
          json.attribute("kind", text(texts[record->kind]));
          json.attribute("device", record->device);
          json.attribute("rule", reasonName(record->reason));
          json.attribute("why", text(whyOf(*record)));
          if (record->request != kNoNode)
            json.attribute("request", text(texts[record->request]));
          if (record->file != kNoNode)
            json.attributeArray("line", [&] {
              json.value(text(texts[record->file]));
              json.value(record->line);
              json.value(record->column);
            });
          json.attributeArray("others", [&] {
            for (const LoggedAlternative &other : alternatives(*record)) {
              if (other.first == record->device && other.first == other.last)
                continue;
              json.array([&] {
                json.value(other.first);
                json.value(other.last);
                if (other.excluded.why != Exclusion::None)
                  json.value(text(whyNotOf(*record, other.excluded)));
                else
                  json.value(-1);
                if (other.cost)
                  json.value(*other.cost);
              });
            }
          });
        });
    });
    json.attributeArray("texts", [&] {
      for (const std::string &words : shared.texts())
        json.value(words);
    });
  });
  stream.flush();
  return result;
}

} // namespace graphc
