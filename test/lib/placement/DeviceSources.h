// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources of devices for tests, and what a set of devices says of them.
#ifndef GRAPHC_TEST_LIB_PLACEMENT_DEVICESOURCES_H
#define GRAPHC_TEST_LIB_PLACEMENT_DEVICESOURCES_H

#include "lib/placement/inputs/DeviceSet.h"

#include <gtest/gtest.h>

namespace graphc::test {

inline constexpr const char *kLocal = "/job:localhost/replica:0/task:0";

inline DeviceSources options(std::vector<std::string> devices,
                             std::optional<int64_t> cpuDevices = {}) {
  DeviceSources sources;
  sources.devices = std::move(devices);
  sources.cpuDevices = cpuDevices;
  return sources;
}

inline DeviceSources cluster(std::string text,
                             std::vector<std::string> devices = {}) {
  DeviceSources sources = options(std::move(devices));
  sources.cluster = runtime::TextFile{"c.json", std::move(text)};
  return sources;
}

inline DeviceSources list(std::string text) {
  DeviceSources sources;
  sources.deviceList = runtime::TextFile{"d.json", std::move(text)};
  return sources;
}

/// The names in the order of choice without what all tests share, one per
/// blank: "GPU:0 CPU:0", "/job:ps/task:0 CPU:0"; or "error: ...".
inline std::string names(const DeviceSources &sources) {
  auto set = DeviceSet::make(sources);
  if (!set.isOk())
    return "error: " + set.status().message();
  std::string text;
  for (const TargetDevice &device : set->devices()) {
    std::string name = device.fullName;
    for (std::string cut : {std::string(kLocal) + "/device:",
                            std::string("/replica:0"), std::string("/device")})
      if (size_t at = name.find(cut); at != std::string::npos)
        name.erase(at, cut.size());
    text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

inline std::string error(const DeviceSources &sources) {
  std::string text = names(sources);
  return text.rfind("error: ", 0) == 0 ? text.substr(7) : "no error: " + text;
}

inline DeviceSet make(const DeviceSources &sources) {
  auto set = DeviceSet::make(sources);
  EXPECT_TRUE(set.isOk()) << set.status().message();
  return set.isOk() ? *set : *DeviceSet::make(options({"cpu:0"}));
}

} // namespace graphc::test

#endif
