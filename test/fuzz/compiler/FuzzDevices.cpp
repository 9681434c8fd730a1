// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files and options that name devices to the compiler: clusters, lists of
// devices, rules, kernels, costs. The first byte says which.
#include "lib/placement/inputs/CostTable.h"
#include "lib/placement/inputs/DeviceSet.h"
#include "lib/placement/inputs/KernelTable.h"
#include "lib/placement/inputs/PlacementRules.h"
#include "test/fuzz/Input.h"

using namespace graphc;

namespace {

/// Devices can be found by their names.
void checkDevices(const DeviceSources &sources) {
  auto devices = DeviceSet::make(sources);
  test::requireMessage(devices.status());
  if (!devices.isOk())
    return;
  test::require(devices->size() > 0, "a set has a device");
  for (const TargetDevice &device : devices->devices())
    test::require(devices->find(device.name).has_value(),
                  "a device has its name");
  devices->workerTasks();
}

void checkRules(const graphc::runtime::TextFile &file) {
  auto rules = PlacementRules::parse({}, file);
  test::requireMessage(rules.status());
  if (rules.isOk())
    rules->match({"tower_0/conv1/Conv2D", "Conv2D", "tfir.conv2d", "train"});
}

void checkCosts(const graphc::runtime::TextFile &file) {
  auto costs = CostTable::parse(file);
  test::requireMessage(costs.status());
  DeviceSources sources;
  sources.devices = {"cpu:0,gpu:0"};
  static const auto devices = DeviceSet::make(sources);
  if (costs.isOk())
    test::require(
        costs->speedBetween((*devices)[0], (*devices)[1]).bytesPerSecond > 0,
        "a link has a speed");
}

void checkKernels(const graphc::runtime::TextFile &file) {
  auto kernels = KernelTable::parse(file);
  test::requireMessage(kernels.status());
  if (kernels.isOk() && kernels->knows("Lookup")) {
    kernels->describe("Lookup");
    kernels->find("Lookup", {"f32", "i64"});
  }
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  char kind = input.take<char>();
  DeviceSources sources;
  graphc::runtime::TextFile file{"x", std::string(input.takeText())};
  switch (kind) {
  case 'r':
    checkRules(file);
    return 0;
  case 'c':
    checkCosts(file);
    return 0;
  case 'k':
    checkKernels(file);
    return 0;
  case 'd':
    sources.devices = {file.text};
    break;
  case 'l':
    sources.deviceList = file;
    break;
  case '2':
    sources.workers = 2;
    [[fallthrough]];
  default:
    sources.cluster = file;
  }
  checkDevices(sources);
  return 0;
}
