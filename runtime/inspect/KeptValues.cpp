// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspect/KeptValues.h"

#include "runtime/base/Glob.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/TensorTypes.h"

#include <map>
#include <set>

namespace graphc::runtime {

namespace {

class Collector {
public:
  Collector(const Model &model, const format::Graph &graph)
      : model(model), graph(graph) {}

  std::vector<KeptValue> collect() {
    for (const format::Port *feed : *graph.feeds())
      add(std::string(viewOf(feed->name())), KeptValue::When::Begin,
          feed->program(), 0, feed->slot(), feed->location());
    for (uint32_t program = 0; program < graph.programs()->size(); ++program)
      addMade(program);
    for (const format::Port *fetch : *graph.fetches())
      addFetch(*fetch);
    for (uint32_t program = 0; program < graph.programs()->size(); ++program)
      addVariables(program);
    return std::move(values);
  }

private:
  const format::Slot &slotAt(uint32_t program, uint32_t slot) const {
    return *graph.programs()->Get(program)->slots()->Get(slot);
  }

  std::string freeName(const std::string &name, uint32_t program) {
    auto [holder, isFree] = taken.try_emplace(name, program);
    if (isFree)
      return name;
    std::string other = name;
    if (holder->second != program) {
      other += "@";
      other += deviceOf(model.index(), *graph.programs()->Get(program));
      if (taken.try_emplace(other, program).second)
        return other;
    }
    for (int number = 2;; ++number)
      if (std::string free = other + "#" + std::to_string(number);
          taken.try_emplace(free, program).second)
        return free;
  }

  void add(const std::string &name, KeptValue::When when, uint32_t program,
           uint32_t instruction, uint32_t slot,
           const format::Location *location) {
    TensorType type = toTensorType(*slotAt(program, slot).type());
    if (name.empty() || type.dtype == DType::String)
      return;
    values.push_back({freeName(name, program), when, program, instruction, slot,
                      std::move(type), location ? location->line() : 0});
  }

  /// Adds what the instructions of a program write to its arena.
  void addMade(uint32_t program) {
    const auto &instructions = *graph.programs()->Get(program)->instructions();
    std::map<uint32_t, uint32_t> last; // by slot
    for (uint32_t i = 0; i < instructions.size(); ++i)
      if (!instructions.Get(i)->action_as_Recv())
        forEachWrite(*instructions.Get(i),
                     [&](uint32_t slot) { last[slot] = i; });
    for (uint32_t i = 0; i < instructions.size(); ++i)
      forEachWrite(*instructions.Get(i), [&](uint32_t index) {
        const format::Slot &slot = slotAt(program, index);
        auto found = last.find(index);
        if (found == last.end() || found->second != i)
          return;
        lastWrites[{program, index}] = i;
        if (slot.kind() == format::SlotKind::Arena)
          add(std::string(viewOf(slot.name())), KeptValue::When::After, program,
              i, index, slot.location());
        last.erase(found);
      });
  }

  /// A fetch whose name is not that of its op.
  void addFetch(const format::Port &fetch) {
    std::string name(viewOf(fetch.name()));
    auto made = lastWrites.find({fetch.program(), fetch.slot()});
    if (made == lastWrites.end() || taken.count(name))
      return;
    add(name, KeptValue::When::After, fetch.program(), made->second,
        fetch.slot(), fetch.location());
  }

  void addVariables(uint32_t program) {
    const auto &slots = *graph.programs()->Get(program)->slots();
    for (uint32_t i = 0; i < slots.size(); ++i) {
      const format::Slot &slot = *slots.Get(i);
      if (slot.kind() != format::SlotKind::Variable ||
          !variables.insert(slot.index()).second)
        continue;
      const format::Variable &variable =
          *model.index().variables()->Get(slot.index());
      add(kVariablePrefix + std::string(viewOf(variable.name())),
          KeptValue::When::End, program, 0, i, variable.location());
    }
  }

  const Model &model;
  const format::Graph &graph;
  std::vector<KeptValue> values;
  std::map<std::string, uint32_t> taken; ///< by program
  std::set<uint32_t> variables;
  /// By program and slot.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> lastWrites;
};

} // namespace

std::vector<KeptValue> keptValues(const Model &model,
                                  const format::Graph &graph) {
  return Collector(model, graph).collect();
}

std::vector<KeptValue> selectValues(const std::vector<KeptValue> &values,
                                    const std::vector<std::string> &patterns,
                                    std::vector<std::string> &missing) {
  std::vector<bool> isUsed(patterns.size());
  std::vector<KeptValue> selected;
  for (const KeptValue &value : values) {
    bool fits = false;
    for (size_t i = 0; i < patterns.size(); ++i)
      if (matchesOpName(patterns[i], value.name)) {
        isUsed[i] = true;
        fits = true;
      }
    if (fits)
      selected.push_back(value);
  }
  for (size_t i = 0; i < patterns.size(); ++i)
    if (!isUsed[i])
      missing.push_back(patterns[i]);
  return selected;
}

} // namespace graphc::runtime
