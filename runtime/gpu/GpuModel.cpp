// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/gpu/GpuModel.h"

#include "runtime/base/DeviceName.h"
#include "runtime/format/DeviceMemory.h"
#include "runtime/format/Quote.h"

namespace graphc::runtime {

namespace {

constexpr size_t kAlignment = 256;

size_t paddedSize(const format::Variable &variable) {
  size_t bytes = toTensorType(*variable.type()).numBytes();
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

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

} // namespace

bool hasGpuCode(const Model &model) {
  return model.index().gpu_kernels() && model.index().gpu_images();
}

StatusOr<std::unique_ptr<GpuUnit>> GpuUnit::open(const Model &model,
                                                 const CudaApi &api,
                                                 const CudaDeviceFacts &facts) {
  auto unit = std::make_unique<GpuUnit>();
  GRAPHC_ASSIGN_OR_RETURN(unit->opened, CudaDevice::open(api, facts));
  GRAPHC_ASSIGN_OR_RETURN(unit->code, CudaModule::load(model, *unit->opened));
  unit->loaded = std::make_unique<GpuLibraries>(*unit->opened);
  return unit;
}

StatusOr<cuda::Pointer> GpuUnit::constant(const Model &model,
                                          const format::Blob &blob) {
  CudaBuffer &buffer = constants[blob.offset()];
  if (buffer.size() > 0 || blob.size() == 0)
    return buffer.address();
  GRAPHC_ASSIGN_OR_RETURN(
      buffer, CudaBuffer::allocate(*opened, blob.size(), "a constant"));
  GRAPHC_TRY(upload(*opened, buffer.address(), model.blob(blob)));
  return buffer.address();
}

StatusOr<std::unique_ptr<GpuModel>>
GpuModel::open(const Model &model, const std::set<std::string> &devices,
               const GpuOptions &options) {
  std::unique_ptr<GpuModel> made(new GpuModel(model));
  GRAPHC_TRY(made->openUnits(devices, options));
  GRAPHC_TRY(made->checkMemory());
  GRAPHC_TRY(made->allocateVariables());
  return made;
}

Status GpuModel::openUnits(const std::set<std::string> &devices,
                           const GpuOptions &options) {
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
    GRAPHC_ASSIGN_OR_RETURN(DeviceName device, DeviceName::parse(name));
    GRAPHC_ASSIGN_OR_RETURN(chosen[name], chooseGpu(gpus, device.id.value_or(0),
                                                    name, options.share));
    GRAPHC_TRY(chooseImage(model, chosen[name]).status());
  }
  for (const auto &[name, facts] : chosen)
    GRAPHC_TRY(openUnit(name, *api, facts));
  return Status::ok();
}

Status GpuModel::openUnit(const std::string &name, const CudaApi &api,
                          const CudaDeviceFacts &facts) {
  GRAPHC_ASSIGN_OR_RETURN(units[name], GpuUnit::open(model, api, facts));
  return Status::ok();
}

/// Compares what the plan takes with what is free, before anything is there.
Status GpuModel::checkMemory() const {
  struct Need {
    const CudaDevice *device = nullptr;
    uint64_t bytes = 0;
    std::string text;
  };
  std::map<int, Need> needs; // by GPU
  for (const DeviceMemory &memory : deviceMemory(model.index())) {
    const GpuUnit *unit = find(memory.device);
    if (!unit)
      continue;
    Need &need = needs[unit->device().facts().number];
    need.device = &unit->device();
    need.bytes += memory.total();
    need.text += (need.text.empty() ? "" : " and ") + quote(memory.device) +
                 " (variables " + std::to_string(memory.variables) +
                 ", constants " + std::to_string(memory.constants) +
                 ", arenas " + std::to_string(memory.arenas) + ", scratch " +
                 std::to_string(memory.scratch) + ")";
  }
  for (const auto &[number, need] : needs) {
    GRAPHC_ASSIGN_OR_RETURN(uint64_t free, need.device->freeBytes());
    if (need.bytes > free)
      return resourceExhausted(
          "the plan needs " + std::to_string(need.bytes) + " bytes for " +
          need.text + ", but " + std::to_string(free) + " of " +
          std::to_string(need.device->facts().bytes) +
          " bytes are free on GPU " + std::to_string(number) + " (" +
          need.device->facts().model +
          "); end what else uses it, or recompile with a smaller batch or for "
          "more devices");
  }
  return Status::ok();
}

/// The device of each variable: its own, or that of the first program that uses
/// it.
std::vector<std::string> GpuModel::variableHomes() const {
  const auto &variables = *model.index().variables();
  std::vector<std::string> homes(variables.size());
  for (uint32_t i = 0; i < variables.size(); ++i)
    homes[i] = viewOf(variables.Get(i)->device());
  for (const format::Graph *graph : *model.index().graphs())
    for (const format::Program *program : *graph->programs())
      for (const format::Slot *slot : *program->slots())
        if (slot->kind() == format::SlotKind::Variable &&
            homes[slot->index()].empty())
          homes[slot->index()] = viewOf(program->device());
  return homes;
}

Status GpuModel::allocateVariables() {
  const auto &variables = *model.index().variables();
  std::vector<std::string> homes = variableHomes();
  places.resize(variables.size());
  for (auto &[name, unit] : units) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < variables.size(); ++i)
      if (homes[i] == name)
        bytes += paddedSize(*variables.Get(i));
    GRAPHC_ASSIGN_OR_RETURN(
        unit->variables,
        CudaBuffer::allocate(unit->device(), bytes, "the variables"));
    GRAPHC_TRY(unit->variables.clear());
    cuda::Pointer next = unit->variables.address();
    for (uint32_t i = 0; i < variables.size(); ++i)
      if (homes[i] == name) {
        places[i] = {next, unit.get()};
        next += paddedSize(*variables.Get(i));
      }
  }
  return Status::ok();
}

GpuUnit *GpuModel::find(std::string_view device) const {
  auto found = units.find(device);
  return found == units.end() ? nullptr : found->second.get();
}

std::vector<std::string> GpuModel::describeDevices() const {
  std::vector<std::string> lines;
  for (const auto &[name, unit] : units)
    lines.push_back(DeviceName::parse(name)->toLegacyString() + " -> " +
                    unit->device().facts().toString());
  return lines;
}

Status GpuModel::readVariable(uint32_t index, std::span<std::byte> to) const {
  return download(places[index].unit->device(), to, places[index].address);
}

Status GpuModel::writeVariable(uint32_t index,
                               std::span<const std::byte> from) const {
  return upload(places[index].unit->device(), places[index].address, from);
}

} // namespace graphc::runtime
