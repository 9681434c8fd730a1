// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/CpuTarget.h"

#include "runtime/target/cpu/CpuLevel.h"

namespace graphc::runtime {

namespace {

class CpuTarget final : public DeviceTarget {
public:
  std::string_view name() const override { return "cpu"; }
  std::string_view deviceType() const override { return "CPU"; }

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
    for (const format::Image *image : *model.index().images())
      archs += (archs.empty() ? "" : ", ") + image->isa()->str();
    return archs.empty() ? "no architecture" : archs;
  }

  bool lacksCodeFor(const Model &model, std::string_view arch) const override {
    std::optional<CpuLevel> has = parseCpuLevel(arch);
    if (!has || model.index().kernels()->size() == 0)
      return false;
    for (const format::Image *image : *model.index().images())
      if (parseCpuLevel(image->isa()->string_view()) <= has)
        return false;
    return true;
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
