// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/program/CudaAccelerator.h"

#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"
#include "runtime/target/cuda/program/CudaCollectives.h"

namespace graphc::runtime {

namespace {

std::string countText(size_t count) {
  return std::to_string(count) + (count == 1 ? " GPU" : " GPUs");
}

/// The GPU for the n-th device of a plan.
StatusOr<CudaDeviceFacts> chooseGpu(const std::vector<CudaDeviceFacts> &gpus,
                                    int number, const std::string &device,
                                    bool mayShare) {
  auto count = static_cast<int>(gpus.size());
  if (number < count)
    return gpus[number];
  if (mayShare && count > 0)
    return gpus[number % count];
  return failedPrecondition(
      "the plan needs " + quote(device) + ", the " +
      countText(static_cast<size_t>(number) + 1) + " up to it, but " +
      countText(gpus.size()) + " can be used here; " +
      (count > 0 ? "let its devices share them with --gpus-share, " : "") +
      "let the CPU execute its programs with --virtual-gpus, or recompile "
      "with fewer in --devices");
}

/// REQUIRES: all are CudaSlots or null.
std::vector<CudaSlots *> cudaSlots(std::span<DeviceSlots *const> programs) {
  std::vector<CudaSlots *> own;
  for (DeviceSlots *slots : programs)
    own.push_back(static_cast<CudaSlots *>(slots));
  return own;
}

class CudaAccelerator final : public Accelerator {
public:
  StatusOr<OpenedDevices> open(const Model &model,
                               const std::set<std::string> &devices,
                               const DeviceOpenOptions &options) const override;

  Status link(const format::Graph &graph,
              std::span<DeviceSlots *const> programs) const override {
    return linkCudaSlots(graph, cudaSlots(programs));
  }

  StatusOr<std::unique_ptr<Collectives>>
  findCollectives(const format::Graph &graph,
                  std::span<DeviceSlots *const> programs,
                  const ModelDevices &devices) const override {
    GRAPHC_ASSIGN_OR_RETURN(
        std::unique_ptr<CudaCollectives> found,
        CudaCollectives::create(graph, cudaSlots(programs), devices));
    return std::unique_ptr<Collectives>(std::move(found));
  }

  std::vector<std::string>
  describeCollectives(const Model &model,
                      const ModelDevices &devices) const override {
    return runtime::describeCollectives(model, devices);
  }
};

StatusOr<OpenedDevices>
CudaAccelerator::open(const Model &model, const std::set<std::string> &devices,
                      const DeviceOpenOptions &options) const {
  StatusOr<const CudaApi *> driver = CudaApi::load();
  if (!driver.isOk())
    return Status(driver.status().code(),
                  quote(model.name()) + " needs " + quote(*devices.begin()) +
                      ", but " + driver.status().message() +
                      ". Or let the CPU execute its programs with "
                      "--virtual-gpus");
  const CudaApi *api = *driver;
  GRAPHC_ASSIGN_OR_RETURN(std::vector<CudaDeviceFacts> gpus,
                          listCudaDevices(*api));
  // All are looked for before the first one is opened, which takes a while.
  std::map<std::string, CudaDeviceFacts> chosen;
  for (const std::string &name : devices) {
    GRAPHC_ASSIGN_OR_RETURN(chosen[name],
                            chooseGpu(gpus, nameOfDevice(name).id.value_or(0),
                                      name, options.share));
    GRAPHC_TRY(chooseImage(model, chosen[name]).status());
  }
  OpenedDevices opened;
  auto groups = std::make_shared<NcclGroups>();
  for (const auto &[name, facts] : chosen) {
    GRAPHC_ASSIGN_OR_RETURN(opened[name],
                            CudaPlanDevice::open(model, *api, facts, groups));
  }
  return opened;
}

} // namespace

const Accelerator &cudaAccelerator() {
  static const CudaAccelerator accelerator;
  return accelerator;
}

} // namespace graphc::runtime
