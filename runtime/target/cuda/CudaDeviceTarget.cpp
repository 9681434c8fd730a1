// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/CudaDeviceTarget.h"

#include "runtime/target/cuda/driver/CudaModule.h"
#include "runtime/target/cuda/program/CudaAccelerator.h"

namespace graphc::runtime {

namespace {

class CudaTarget final : public DeviceTarget {
public:
  std::string_view name() const override { return kCudaTarget; }
  std::string_view deviceType() const override { return kCudaDeviceType; }

  std::vector<DeviceFacts> listDevices() const override {
    std::vector<DeviceFacts> devices;
    for (const CudaDeviceFacts &facts : usableCudaDevices())
      devices.push_back(facts.describe());
    return devices;
  }

  bool hasCode(const Model &model) const override {
    return cudaExecutable(model);
  }

  std::string archsOf(const Model &model) const override {
    return runtime::archsOf(model);
  }

  bool lacksCodeFor(const Model &model, std::string_view arch) const override {
    std::optional<int> capability = capabilityOf(arch);
    return capability && !findImage(model, *capability);
  }

  std::string cureFor(std::string_view arch) const override {
    return archCure(capabilityOf(arch).value_or(0));
  }

  const Accelerator *accelerator() const override { return &cudaAccelerator(); }
};

} // namespace

const DeviceTarget &cudaTarget() {
  static const CudaTarget target;
  return target;
}

} // namespace graphc::runtime
