// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/DeviceMemory.h"

#include "runtime/format/HostVariant.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"
#include "runtime/format/print/PlanText.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <tuple>

namespace graphc::runtime {

namespace {

/// So many buffers of a device are printed.
constexpr size_t kListed = 5;

/// Devices in the order of their names.
class Devices {
public:
  explicit Devices(const format::Model &model) : model(model) {}

  std::vector<DeviceMemory> find();

private:
  DeviceMemory &at(std::string_view device);
  void addProgram(const format::Graph &graph, const format::Program &program);
  void addSlot(const format::Graph &graph, const format::Program &program,
               uint32_t index);
  void addVariable(uint32_t index, std::string_view device);

  const format::Model &model;
  std::map<DeviceName, DeviceMemory> byName;
  std::set<uint32_t> seenVariables;
  std::set<std::tuple<const DeviceMemory *, uint64_t>> seenConstants;
};

DeviceMemory &Devices::at(std::string_view device) {
  // The names of a verified model can be read.
  DeviceMemory &memory = byName[nameOfDevice(device)];
  memory.device = device;
  return memory;
}

void Devices::addVariable(uint32_t index, std::string_view device) {
  if (!seenVariables.insert(index).second)
    return;
  const format::Variable &variable = *model.variables()->Get(index);
  DeviceMemory &memory = at(device);
  uint64_t bytes = toTensorType(*variable.type()).numBytes();
  memory.variables += bytes;
  if (variable.mirror_of() == UINT32_MAX && !variable.transient())
    memory.saved += bytes;
  memory.items.push_back({"variable " + quote(viewOf(variable.name())) +
                              lineText(variable.location()),
                          bytes});
}

void Devices::addSlot(const format::Graph &graph,
                      const format::Program &program, uint32_t index) {
  const format::Slot &slot = *program.slots()->Get(index);
  std::string name = slotText(program, index) + " of graph " +
                     quote(viewOf(graph.name())) + lineText(slot.location());
  if (slot.kind() == format::SlotKind::Variable)
    return addVariable(slot.index(), deviceOf(model, program));
  DeviceMemory &memory = at(deviceOf(model, program));
  if (slot.kind() == format::SlotKind::Constant) {
    if (!seenConstants.insert({&memory, slot.data()->offset()}).second)
      return;
    memory.constants += slot.size();
    memory.items.push_back({"constant " + name, slot.size()});
  } else if (slot.kind() == format::SlotKind::Arena) {
    memory.items.push_back({"value " + name, slot.size()});
  }
}

void Devices::addProgram(const format::Graph &graph,
                         const format::Program &program) {
  DeviceMemory &memory = at(deviceOf(model, program));
  memory.arenas += program.arena_bytes();
  memory.scratch += program.device_scratch_bytes();
  for (uint32_t i = 0; i < program.slots()->size(); ++i)
    addSlot(graph, program, i);
}

std::vector<DeviceMemory> Devices::find() {
  for (uint32_t i = 0; i < model.variables()->size(); ++i)
    if (std::string_view device = deviceOf(model, *model.variables()->Get(i));
        !device.empty())
      addVariable(i, device);
  // A session has one variant of a graph.
  for (const format::Graph *graph : *model.graphs())
    if (!isHostVariant(*graph))
      for (const format::Program *program : *graph->programs())
        addProgram(*graph, *program);
  std::vector<DeviceMemory> list;
  for (auto &[name, memory] : byName) {
    std::stable_sort(memory.items.begin(), memory.items.end(),
                     [](const MemoryItem &a, const MemoryItem &b) {
                       return a.bytes > b.bytes;
                     });
    list.push_back(std::move(memory));
  }
  return list;
}

} // namespace

std::vector<DeviceMemory> deviceMemory(const format::Model &model) {
  return Devices(model).find();
}

void printDeviceMemory(const format::Model &model, std::ostream &out) {
  for (const DeviceMemory &memory : deviceMemory(model)) {
    out << "memory of device " << quote(memory.device) << ": " << memory.total()
        << " bytes: variables " << memory.variables << ", constants "
        << memory.constants << ", arenas " << memory.arenas;
    if (memory.scratch)
      out << ", scratch " << memory.scratch;
    if (memory.saved)
      out << "; to save it, " << memory.saved << " more on the host";
    out << "\n";
    for (size_t i = 0; i < std::min(memory.items.size(), kListed); ++i)
      out << "    " << memory.items[i].bytes
          << " bytes: " << memory.items[i].text << "\n";
  }
}

} // namespace graphc::runtime
