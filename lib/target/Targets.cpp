// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registry of targets, and the choice of one by the type of a device.
#include "lib/target/Target.h"
#include "lib/target/common/CodegenDialects.h"
#include "lib/target/cpu/CpuTarget.h"
#include "lib/target/cuda/CudaTarget.h"
#include "lib/target/reference/ReferenceTarget.h"

using namespace mlir;

namespace graphc {

namespace {

constexpr StringLiteral kHostType = "CPU";

struct Row {
  const Target &(*target)();
  StringRef deviceType;
};

/// One line per target; the first of a type is the usual one.
constexpr Row kTargets[] = {
    {cpuTarget, kHostType},
    {cudaTarget, "GPU"},
    {referenceTarget, kHostType},
};

/// `onHost`: the host stands in for the device.
const Target &targetFor(ModuleOp module, tfir::DeviceAttr device, bool onHost) {
  if (onHost)
    return hostTarget(module);
  if (device && device.getDeviceName().type &&
      *device.getDeviceName().type != kHostType)
    for (const Row &row : kTargets)
      if (row.deviceType == *device.getDeviceName().type)
        return row.target();
  return hostTarget(module);
}

} // namespace

const Target &targetOf(tfir::GraphOp graph) {
  return targetFor(graph->getParentOfType<ModuleOp>(), graph.getDeviceAttr(),
                   graph.getOnHost());
}

const Target &targetOf(exec::ProgramOp program) {
  return targetFor(program->getParentOfType<ModuleOp>(), program.getDevice(),
                   program.getOnHost());
}

const Target &hostTarget(ModuleOp module) {
  StringAttr name = tfir::TfirDialect::CpuTargetAttrHelper(module.getContext())
                        .getAttr(module);
  for (const Row &row : kTargets)
    if (row.deviceType == kHostType &&
        (!name || row.target().name() == name.getValue()))
      return row.target();
  return cpuTarget(); // which verifyPhase() does not let pass
}

std::vector<const Target *> acceleratorTargets() {
  std::vector<const Target *> targets;
  for (const Row &row : kTargets)
    if (row.deviceType != kHostType)
      targets.push_back(&row.target());
  return targets;
}

std::vector<std::string> hostTargetNames() {
  std::vector<std::string> names;
  for (const Row &row : kTargets)
    if (row.deviceType == kHostType)
      names.push_back(row.target().name().str());
  return names;
}

void registerTargetDialects(DialectRegistry &registry) {
  registerCodegenDialects(registry);
  for (const Row &row : kTargets)
    row.target().registerDialects(registry);
}

} // namespace graphc
