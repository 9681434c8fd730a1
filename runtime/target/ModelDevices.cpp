// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/ModelDevices.h"

#include "runtime/format/DeviceMemory.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

constexpr size_t kAlignment = 256;

size_t paddedSize(const format::Variable &variable) {
  size_t bytes = toTensorType(*variable.type()).numBytes();
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// The programs that are on devices of one kind; null for others.
std::vector<DeviceSlots *> slotsOfKind(std::span<DeviceSlots *const> programs,
                                       const Accelerator &kind) {
  std::vector<DeviceSlots *> own;
  for (DeviceSlots *slots : programs)
    own.push_back(slots && &slots->device().accelerator() == &kind ? slots
                                                                   : nullptr);
  return own;
}

} // namespace

ModelDevices::ModelDevices(const Model &model, OpenedDevices opened)
    : model(model), devices(std::move(opened)) {
  for (const auto &[name, device] : devices)
    if (std::ranges::find(kinds, &device->accelerator()) == kinds.end())
      kinds.push_back(&device->accelerator());
}

StatusOr<std::unique_ptr<ModelDevices>>
ModelDevices::create(const Model &model, OpenedDevices devices) {
  std::unique_ptr<ModelDevices> made(
      new ModelDevices(model, std::move(devices)));
  GRAPHC_TRY(made->checkMemory());
  GRAPHC_TRY(made->allocateVariables());
  return made;
}

/// Compares what the plan takes with what is free, before anything is there.
Status ModelDevices::checkMemory() const {
  struct Need {
    const Device *device = nullptr;
    uint64_t bytes = 0;
    std::string text;
  };
  std::map<std::pair<std::string, int>, Need> needs; // by type and number
  for (const DeviceMemory &memory : deviceMemory(model.index())) {
    const Device *device = find(memory.device);
    if (!device)
      continue;
    Need &need = needs[{device->facts().type, device->facts().number}];
    need.device = device;
    need.bytes += memory.total();
    need.text += (need.text.empty() ? "" : " and ") + quote(memory.device) +
                 " (variables " + std::to_string(memory.variables) +
                 ", constants " + std::to_string(memory.constants) +
                 ", arenas " + std::to_string(memory.arenas) + ", scratch " +
                 std::to_string(memory.scratch) + ")";
  }
  for (const auto &[key, need] : needs) {
    GRAPHC_ASSIGN_OR_RETURN(uint64_t free, need.device->freeBytes());
    const DeviceFacts &facts = need.device->facts();
    if (need.bytes > free)
      return resourceExhausted(
          "the plan needs " + std::to_string(need.bytes) + " bytes for " +
          need.text + ", but " + std::to_string(free) + " of " +
          std::to_string(facts.bytes) + " bytes are free on " + facts.type +
          " " + std::to_string(facts.number) + " (" + facts.model +
          "); end what else uses it, or recompile with a smaller batch or for "
          "more devices");
  }
  return Status::ok();
}

/// The device of each variable: its own, or that of the first program that uses
/// it.
std::vector<std::string> ModelDevices::variableHomes() const {
  const auto &variables = *model.index().variables();
  std::vector<std::string> homes(variables.size());
  for (uint32_t i = 0; i < variables.size(); ++i)
    homes[i] = deviceOf(model.index(), *variables.Get(i));
  for (const format::Graph *graph : *model.index().graphs())
    for (const format::Program *program : *graph->programs())
      for (const format::Slot *slot : *program->slots())
        if (slot->kind() == format::SlotKind::Variable &&
            homes[slot->index()].empty())
          homes[slot->index()] = deviceOf(model.index(), *program);
  return homes;
}

Status ModelDevices::allocateVariables() {
  const auto &variables = *model.index().variables();
  std::vector<std::string> homes = variableHomes();
  places.resize(variables.size());
  for (auto &[name, device] : devices) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < variables.size(); ++i)
      if (homes[i] == name)
        bytes += paddedSize(*variables.Get(i));
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<DeviceAllocation> allocated,
                            device->allocate(bytes, "the variables"));
    DeviceAddress next = allocated->address();
    memory.push_back(std::move(allocated));
    for (uint32_t i = 0; i < variables.size(); ++i)
      if (homes[i] == name) {
        places[i] = {next, device.get()};
        next += paddedSize(*variables.Get(i));
      }
  }
  return Status::ok();
}

Device *ModelDevices::find(std::string_view device) const {
  auto found = devices.find(device);
  return found == devices.end() ? nullptr : found->second.get();
}

Device *ModelDevices::find(const format::Program &program) const {
  return find(nameOfDevice(program));
}

std::string_view
ModelDevices::nameOfDevice(const format::Program &program) const {
  return deviceOf(model.index(), program);
}

StatusOr<std::unique_ptr<DeviceSlots>>
ModelDevices::createSlots(const format::Graph &graph, uint32_t program) const {
  return find(*graph.programs()->Get(program))
      ->createSlots({&model, &graph, program, this});
}

Status ModelDevices::link(const format::Graph &graph,
                          std::span<DeviceSlots *const> programs) const {
  for (const Accelerator *kind : kinds)
    GRAPHC_TRY(kind->link(graph, slotsOfKind(programs, *kind)));
  return Status::ok();
}

StatusOr<std::unique_ptr<Collectives>>
ModelDevices::findCollectives(const format::Graph &graph,
                              std::span<DeviceSlots *const> programs) const {
  for (const Accelerator *kind : kinds) {
    GRAPHC_ASSIGN_OR_RETURN(
        std::unique_ptr<Collectives> found,
        kind->findCollectives(graph, slotsOfKind(programs, *kind), *this));
    if (found)
      return found;
  }
  return std::unique_ptr<Collectives>();
}

std::vector<std::string> ModelDevices::describe() const {
  std::vector<std::string> lines;
  for (const auto &[name, device] : devices)
    lines.push_back(runtime::nameOfDevice(name).toLegacyString() + " -> " +
                    device->facts().toString());
  for (const Accelerator *kind : kinds)
    std::ranges::move(kind->describeCollectives(model, *this),
                      std::back_inserter(lines));
  return lines;
}

Status ModelDevices::readVariable(uint32_t index,
                                  std::span<std::byte> to) const {
  return places[index].device->download(to, places[index].address);
}

Status ModelDevices::writeVariable(uint32_t index,
                                   std::span<const std::byte> from) const {
  return places[index].device->upload(places[index].address, from);
}

} // namespace graphc::runtime
