// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-server/Probe.h"

#include "runtime/cluster/Frame.h"
#include "runtime/device/CpuLevel.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
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

} // namespace

Status probe(bool isJson) {
  GRAPHC_ASSIGN_OR_RETURN(CpuLevel level, highestLevel(detectCpuFeatures()));
  nlohmann::ordered_json facts;
  facts["version"] = "graphc " GRAPHC_VERSION;
  facts["protocol"] = kProtocolVersion;
  facts["host"] = hostName();
  facts["cpu_level"] = cpuLevelName(level);
  facts["cores"] = std::thread::hardware_concurrency();
  facts["memory_bytes"] = memoryOf("MemTotal");
  facts["free_bytes"] = memoryOf("MemAvailable");
  facts["devices"] = {"/device:CPU:0"};
  if (isJson) {
    std::printf("%s\n", facts.dump(2).c_str());
    return Status::ok();
  }
  for (const auto &[name, value] : facts.items()) {
    std::string text = value.is_string()  ? value.get<std::string>()
                       : value.is_array() ? value[0].get<std::string>()
                                          : value.dump();
    std::printf("%s: %s\n", name.c_str(), text.c_str());
  }
  return Status::ok();
}

} // namespace graphc::server
