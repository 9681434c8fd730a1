// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU with what the graphs of a model share there: code, libraries,
// constants.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_CUDAPLANDEVICE_H
#define GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_CUDAPLANDEVICE_H

#include "runtime/target/ModelDevices.h"
#include "runtime/target/cuda/driver/CudaMemory.h"
#include "runtime/target/cuda/driver/CudaModule.h"
#include "runtime/target/cuda/library/GpuLibraries.h"
#include "runtime/target/cuda/library/NcclGroup.h"

#include <map>
#include <memory>

namespace graphc::runtime {

/// A device of the plan on a GPU of this process.
/// Thread-safety: one call at a time.
class CudaPlanDevice final : public Device {
public:
  /// `groups` are shared by all GPUs of the model, which must outlive this.
  static StatusOr<std::unique_ptr<CudaPlanDevice>>
  open(const Model &model, const CudaApi &api, const CudaDeviceFacts &facts,
       std::shared_ptr<NcclGroups> groups);

  /// The GPU of a program's device; null: it is not on one of this process.
  static CudaPlanDevice *find(const ModelDevices &devices,
                              const format::Program &program);

  ~CudaPlanDevice() override;

  const CudaDevice &device() const { return *opened; }
  const CudaModule &module() const { return *code; }
  GpuLibraries &libraries() { return *loaded; }

  /// Those GPUs that NCCL adds up values of; all graphs share them.
  NcclGroups &ncclGroups() const { return *groups; }

  /// The bytes of a constant on the device, which are copied there once.
  StatusOr<cuda::Pointer> constant(const Model &model,
                                   const format::Blob &blob);

  const Accelerator &accelerator() const override;
  const DeviceFacts &facts() const override { return about; }
  StatusOr<uint64_t> freeBytes() const override { return opened->freeBytes(); }
  StatusOr<std::unique_ptr<DeviceAllocation>>
  allocate(size_t bytes, std::string_view what) const override;
  Status upload(DeviceAddress to,
                std::span<const std::byte> from) const override;
  Status download(std::span<std::byte> to, DeviceAddress from) const override;
  StatusOr<std::unique_ptr<DeviceSlots>>
  createSlots(const DeviceSlotsSpec &spec) override;
  StatusOr<std::unique_ptr<DeviceProgram>>
  createProgram(const DeviceProgramSpec &spec) override;

private:
  DeviceFacts about;
  std::unique_ptr<CudaDevice> opened;
  std::shared_ptr<NcclGroups> groups;
  std::unique_ptr<CudaModule> code;
  std::unique_ptr<GpuLibraries> loaded;
  std::map<uint64_t, CudaBuffer> constants; ///< by offset in the file
};

} // namespace graphc::runtime

#endif
