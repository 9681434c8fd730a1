// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-server/Probe.h"

#include "runtime/base/Cores.h"
#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/device/CpuLevel.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/link/Frame.h"

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

nlohmann::ordered_json toJson(const CudaDeviceFacts &gpu) {
  return {{"device", gpu.number},
          {"name", gpu.model},
          {"pci_bus_id", gpu.pciBusId},
          {"compute_capability", std::to_string(gpu.capability / 10) + "." +
                                     std::to_string(gpu.capability % 10)},
          {"memory_bytes", gpu.bytes}};
}

void printText(const nlohmann::ordered_json &facts,
               const std::vector<CudaDeviceFacts> &gpus) {
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
  for (const CudaDeviceFacts &gpu : gpus)
    std::printf("%s\n", gpu.toString().c_str());
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
  facts["devices"] = {"/device:CPU:0"};
  std::vector<CudaDeviceFacts> found = usableCudaDevices();
  for (const CudaDeviceFacts &gpu : found)
    facts["devices"].push_back("/device:GPU:" + std::to_string(gpu.number));
  facts["gpus"] = nlohmann::ordered_json::array();
  for (const CudaDeviceFacts &gpu : found)
    facts["gpus"].push_back(toJson(gpu));
  if (isJson)
    std::printf("%s\n", facts.dump(2).c_str());
  else
    printText(facts, found);
  return Status::ok();
}

} // namespace graphc::server
