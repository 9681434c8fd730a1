// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/CpuDeviceTarget.h"

#include "runtime/target/cpu/LoadKernels.h"
#include "runtime/target/cpu/format/CpuExecutable.h"

namespace graphc::runtime {

namespace {

class CpuTarget final : public DeviceTarget {
public:
  std::string_view name() const override { return kCpuTarget; }
  std::string_view deviceType() const override { return kCpuDeviceType; }

  std::vector<DeviceFacts> listDevices() const override {
    DeviceFacts facts;
    facts.type = deviceType();
    StatusOr<CpuLevel> level = highestLevel(detectCpuFeatures());
    facts.arch = level.isOk() ? cpuLevelName(*level) : "";
    return {facts};
  }

  /// Kernels of all programs, also those of accelerators, are there for CPUs.
  bool hasCode(const Model &) const override { return true; }

  std::string archsOf(const Model &model) const override {
    std::string archs;
    if (const format::CpuExecutable *code = cpuExecutable(model))
      for (const format::Image *image : *code->images())
        archs += (archs.empty() ? "" : ", ") + image->isa()->str();
    return archs.empty() ? "no architecture" : archs;
  }

  bool lacksCodeFor(const Model &model, std::string_view arch) const override {
    std::optional<CpuLevel> has = parseCpuLevel(arch);
    std::optional<CpuLevel> needed = lowestLevel(model);
    return has && needed && *has < *needed;
  }

  std::string cureFor(std::string_view) const override {
    return "recompile with kernels for the lower level";
  }
};

} // namespace

const DeviceTarget &cpuTarget() {
  static const CpuTarget target;
  return target;
}

} // namespace graphc::runtime
