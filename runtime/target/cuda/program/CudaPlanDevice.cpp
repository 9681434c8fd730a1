// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/program/CudaPlanDevice.h"

#include "runtime/format/Quote.h"

#include "runtime/target/cuda/program/CudaAccelerator.h"
#include "runtime/target/cuda/program/CudaProgram.h"

namespace graphc::runtime {

namespace {

class CudaAllocationOf final : public DeviceAllocation {
public:
  explicit CudaAllocationOf(CudaBuffer buffer) : buffer(std::move(buffer)) {}
  DeviceAddress address() const override { return buffer.address(); }

private:
  CudaBuffer buffer;
};

} // namespace

StatusOr<std::unique_ptr<CudaPlanDevice>>
CudaPlanDevice::open(const Model &model, const CudaApi &api,
                     const CudaDeviceFacts &facts,
                     std::shared_ptr<NcclGroups> groups) {
  auto planDevice = std::make_unique<CudaPlanDevice>();
  planDevice->about = facts.describe();
  GRAPHC_ASSIGN_OR_RETURN(planDevice->opened, CudaDevice::open(api, facts));
  planDevice->groups = std::move(groups);
  GRAPHC_ASSIGN_OR_RETURN(planDevice->code,
                          CudaModule::load(model, *planDevice->opened));
  planDevice->loaded = std::make_unique<GpuLibraries>(*planDevice->opened);
  return planDevice;
}

CudaPlanDevice::~CudaPlanDevice() {
  if (groups)
    groups->clear();
}

CudaPlanDevice *CudaPlanDevice::find(const ModelDevices &devices,
                                     const format::Program &program) {
  Device *device = devices.find(program);
  return device && &device->accelerator() == &cudaAccelerator()
             ? static_cast<CudaPlanDevice *>(device)
             : nullptr;
}

StatusOr<cuda::Pointer> CudaPlanDevice::constant(const Model &model,
                                                 const format::Blob &blob) {
  CudaBuffer &buffer = constants[blob.offset()];
  if (buffer.size() > 0 || blob.size() == 0)
    return buffer.address();
  GRAPHC_ASSIGN_OR_RETURN(
      buffer, CudaBuffer::allocate(*opened, blob.size(), "a constant"));
  GRAPHC_TRY(upload(buffer.address(), model.blob(blob)));
  return buffer.address();
}

const Accelerator &CudaPlanDevice::accelerator() const {
  return cudaAccelerator();
}

StatusOr<std::unique_ptr<DeviceAllocation>>
CudaPlanDevice::allocate(size_t bytes, std::string_view what) const {
  GRAPHC_ASSIGN_OR_RETURN(CudaBuffer buffer,
                          CudaBuffer::allocate(*opened, bytes, what));
  GRAPHC_TRY(buffer.clear());
  return std::unique_ptr<DeviceAllocation>(
      std::make_unique<CudaAllocationOf>(std::move(buffer)));
}

Status CudaPlanDevice::upload(DeviceAddress to,
                              std::span<const std::byte> from) const {
  return runtime::upload(*opened, to, from);
}

Status CudaPlanDevice::download(std::span<std::byte> to,
                                DeviceAddress from) const {
  return runtime::download(*opened, to, from);
}

StatusOr<std::unique_ptr<DeviceSlots>>
CudaPlanDevice::createSlots(const DeviceSlotsSpec &spec) {
  GRAPHC_ASSIGN_OR_RETURN(
      std::unique_ptr<CudaSlots> slots,
      CudaSlots::create(*spec.model, *spec.graph, spec.program, *spec.devices));
  return std::unique_ptr<DeviceSlots>(std::move(slots));
}

StatusOr<std::unique_ptr<DeviceProgram>>
CudaPlanDevice::createProgram(const DeviceProgramSpec &spec) {
  // Sums of devices of another kind are none of this program.
  bool hasSums = spec.collectives &&
                 &spec.collectives->accelerator() == &cudaAccelerator();
  GRAPHC_ASSIGN_OR_RETURN(
      std::unique_ptr<CudaProgram> program,
      CudaProgram::create(
          {spec.model, spec.graph, spec.program,
           static_cast<const CudaSlots *>(spec.slots), spec.firstUpdate,
           hasSums ? static_cast<CudaCollectives *>(spec.collectives)
                   : nullptr}));
  return std::unique_ptr<DeviceProgram>(std::move(program));
}

} // namespace graphc::runtime
