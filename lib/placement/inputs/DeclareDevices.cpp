// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the table of devices, from flags and the files that they name:
//
//   --tfir-declare-devices="devices=gpu:0=4GiB"
//     -> tfir.devices client "/job:localhost/replica:0/task:0" [
//          "/job:localhost/replica:0/task:0/device:GPU:0" priority 210
//              memory 4294967296,
//          "/job:localhost/replica:0/task:0/device:CPU:0" priority 70 implied]
//
// Runs before all passes that ask for devices. Guarantees: these need no flag
// and read no file of devices.
#include "graphc/Passes.h"

#include "lib/placement/inputs/DeviceFiles.h"
#include "lib/placement/inputs/DeviceTable.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_DECLAREDEVICESPASS
#include "graphc/Passes.h.inc"

namespace {

struct DeclareDevicesPass : impl::DeclareDevicesPassBase<DeclareDevicesPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    DeviceOptions options;
    options.devices.assign(devices.begin(), devices.end());
    options.cpuDevices = cpuDevices;
    options.cluster = cluster;
    options.deviceList = deviceList;
    options.workers = workers;
    runtime::StatusOr<DeviceSet> set = readDeviceSet(options);
    if (!set.isOk()) {
      module.emitError() << set.status().message();
      return signalPassFailure();
    }
    for (const std::string &warning : set->warnings())
      emitWarning(module.getLoc()) << warning;
    writeDeviceTable(module, *set);
  }
};

} // namespace
} // namespace graphc
