// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-server/Probe.h"

#include "runtime/base/host/Cores.h"
#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/link/FrameHeader.h"
#include "runtime/target/DeviceTargets.h"
#include "runtime/target/cpu/CpuLevel.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>

namespace graphc::server {

namespace {

using namespace graphc::runtime;

/// A line of /proc/meminfo in bytes; 0: there is none.
uint64_t memoryOf(const std::string &key) {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  uint64_t kilobytes = 0;
  while (file >> name >> kilobytes && std::getline(file, unit))
    if (name == key + ":")
      return kilobytes * 1024;
  return 0;
}

std::string hostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

nlohmann::ordered_json toJson(const DeviceFacts &device) {
  nlohmann::ordered_json json = {{"device", device.number},
                                 {"name", device.model}};
  for (const auto &[name, value] : device.details) {
    std::string key = name;
    std::ranges::replace(key, ' ', '_');
    json[key] = value;
  }
  json["memory_bytes"] = device.bytes;
  return json;
}

void printText(const nlohmann::ordered_json &facts,
               const std::vector<DeviceFacts> &accelerators) {
  for (const auto &[name, value] : facts.items()) {
    if (name == "gpus")
      continue;
    std::string text;
    if (value.is_array())
      for (const auto &each : value)
        text += (text.empty() ? "" : ", ") + each.get<std::string>();
    else
      text = value.is_string() ? value.get<std::string>() : value.dump();
    std::printf("%s: %s\n", name.c_str(), text.c_str());
  }
  for (const DeviceFacts &device : accelerators)
    std::printf("%s\n", device.toString().c_str());
}

} // namespace

Status probe(bool isJson) {
  GRAPHC_ASSIGN_OR_RETURN(CpuLevel level, highestLevel(detectCpuFeatures()));
  nlohmann::ordered_json facts;
  facts["version"] = "graphc " GRAPHC_VERSION;
  facts["protocol"] = kProtocolVersion;
  facts["host"] = hostName();
  facts["cpu_level"] = cpuLevelName(level);
  facts["cores"] = usableCores();
  facts["memory_bytes"] = memoryOf("MemTotal");
  facts["free_bytes"] = memoryOf("MemAvailable");
  facts["devices"] = nlohmann::ordered_json::array();
  std::vector<DeviceFacts> accelerators;
  for (const DeviceTarget *target : deviceTargets())
    for (DeviceFacts &device : target->listDevices()) {
      facts["devices"].push_back("/device:" + device.type + ":" +
                                 std::to_string(device.number));
      if (target->accelerator())
        accelerators.push_back(std::move(device));
    }
  facts["gpus"] = nlohmann::ordered_json::array();
  for (const DeviceFacts &device : accelerators)
    facts["gpus"].push_back(toJson(device));
  if (isJson)
    std::printf("%s\n", facts.dump(2).c_str());
  else
    printText(facts, accelerators);
  return Status::ok();
}

} // namespace graphc::server
