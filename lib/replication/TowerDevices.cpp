// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/TowerDevices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace graphc {

static LogicalResult readFile(ModuleOp module, const std::string &path,
                              std::optional<TextFile> &file) {
  if (path.empty())
    return success();
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return module.emitError()
           << "cannot read '" << path << "': " << buffer.getError().message();
  file = TextFile{path, (*buffer)->getBuffer().str()};
  return success();
}

FailureOr<DeviceSet> readDevices(ModuleOp module,
                                 const DeviceOptions &options) {
  DeviceSources sources;
  sources.devices = options.devices;
  if (options.cpuDevices)
    sources.cpuDevices = options.cpuDevices;
  if (failed(readFile(module, options.cluster, sources.cluster)) ||
      failed(readFile(module, options.deviceList, sources.deviceList)))
    return failure();
  if (sources.devices.empty() && !sources.cpuDevices && !sources.cluster &&
      !sources.deviceList)
    sources.devices = {"cpu:0"};
  runtime::StatusOr<DeviceSet> set = DeviceSet::make(sources);
  if (!set.isOk())
    return module.emitError() << set.status().message();
  return *set;
}

SmallVector<size_t> towerDevices(const DeviceSet &set) {
  SmallVector<size_t> found = llvm::to_vector(llvm::seq(set.size()));
  auto narrow = [&](function_ref<bool(const Device &)> keep) {
    SmallVector<size_t> kept;
    llvm::copy_if(
        found, std::back_inserter(kept),
        [&](size_t index) { return keep(set[index]); });
    if (!kept.empty())
      found = kept;
  };
  narrow([](const Device &device) { return !device.implied; });
  narrow([](const Device &device) { return device.name.job != "ps"; });
  StringRef best = set[found.front()].type;
  narrow([&](const Device &device) { return device.type == best; });
  return found;
}

} // namespace graphc
