// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPUs that a model's programs run on, with what its graphs share there:
// code, constants and variables.
#ifndef GRAPHC_RUNTIME_GPU_GPUMODEL_H
#define GRAPHC_RUNTIME_GPU_GPUMODEL_H

#include "runtime/device/cuda/CudaMemory.h"
#include "runtime/device/cuda/CudaModule.h"
#include "runtime/library/GpuLibraries.h"
#include "runtime/library/NcclGroup.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace graphc::runtime {

/// A device of the plan on a GPU of this process.
/// Thread-safety: one call at a time.
class GpuUnit {
public:
  static StatusOr<std::unique_ptr<GpuUnit>>
  open(const Model &model, const CudaApi &api, const CudaDeviceFacts &facts);

  const CudaDevice &device() const { return *opened; }
  const CudaModule &module() const { return *code; }
  GpuLibraries &libraries() { return *loaded; }

  /// The bytes of a constant on the device, which are copied there once.
  StatusOr<cuda::Pointer> constant(const Model &model,
                                   const format::Blob &blob);

private:
  friend class GpuModel;

  std::unique_ptr<CudaDevice> opened;
  std::unique_ptr<CudaModule> code;
  std::unique_ptr<GpuLibraries> loaded;
  std::map<uint64_t, CudaBuffer> constants; ///< by offset in the file
  CudaBuffer variables;
};

struct GpuOptions {
  /// Devices of the plan may be the same GPU, in turn, where there are fewer.
  bool share = false;
};

/// Whether a model has code for GPUs at all.
bool hasGpuCode(const Model &model);

/// Thread-safety: one call at a time, but for find().
class GpuModel {
public:
  /// Opens a GPU for each of `devices`, full names of devices of type GPU of
  /// this process: the driver's n-th for GPU:n. A failure says what is missing:
  /// a driver, GPUs, code or memory. `model` must outlive this.
  static StatusOr<std::unique_ptr<GpuModel>>
  open(const Model &model, const std::set<std::string> &devices,
       const GpuOptions &options);

  /// Null: not one of the devices.
  GpuUnit *find(std::string_view device) const;

  /// Those GPUs that NCCL adds up values of; all graphs share them.
  NcclGroups &ncclGroups() const { return *groups; }

  /// What each device of the plan is, as TensorFlow's tutorials show it:
  /// ".../gpu:0 -> device: 0, name: ...", by name.
  std::vector<std::string> describeDevices() const;

  /// Where variable i of the model is; 0: on none of the devices.
  cuda::Pointer variable(uint32_t index) const { return places[index].address; }
  Status readVariable(uint32_t index, std::span<std::byte> to) const;
  Status writeVariable(uint32_t index, std::span<const std::byte> from) const;

private:
  struct Place {
    cuda::Pointer address = 0;
    const GpuUnit *unit = nullptr;
  };

  explicit GpuModel(const Model &model) : model(model) {}
  Status openUnits(const std::set<std::string> &devices,
                   const GpuOptions &options);
  Status openUnit(const std::string &name, const CudaApi &api,
                  const CudaDeviceFacts &facts);
  Status checkMemory() const;
  Status allocateVariables();
  std::vector<std::string> variableHomes() const;

  const Model &model;
  std::map<std::string, std::unique_ptr<GpuUnit>, std::less<>> units;
  std::unique_ptr<NcclGroups> groups = std::make_unique<NcclGroups>();
  std::vector<Place> places; ///< by variable
};

} // namespace graphc::runtime

#endif
