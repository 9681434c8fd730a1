// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profile/ProfileTable.h"

#include "runtime/format/ModelNames.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace graphc::runtime {

namespace {

/// Tells rows apart.
using RowKey = std::tuple<std::string, uint32_t, uint32_t>;

class Tabulator {
public:
  Tabulator(const format::Model &model, const format::Graph &graph,
            ProfileKey key)
      : model(model), graph(graph), key(key) {}

  void add(const InstructionSeconds &time) {
    const format::Program &program = *graph.programs()->Get(time.id.program);
    const format::Instruction &instruction =
        *program.instructions()->Get(time.id.instruction);
    InstructionWork work = workOf(model, program, instruction);
    std::vector<ProfileRow *> seen;
    for (const OpShare &op : sharesOf(instruction)) {
      ProfileRow &row = rowOf(time.id, program, instruction, op);
      row.seconds += time.seconds * op.share;
      row.flops += work.flops * op.share;
      row.bytes += work.bytes * op.share;
      auto phase = static_cast<size_t>(phaseOf(instruction, op.name));
      row.phases[phase] += time.seconds * op.share;
      if (std::ranges::find(seen, &row) == seen.end()) {
        seen.push_back(&row);
        ++row.count;
      }
    }
  }

  std::vector<ProfileRow> take() {
    std::vector<ProfileRow> sorted;
    for (auto &[_, row] : rows)
      sorted.push_back(std::move(row));
    std::ranges::stable_sort(sorted, [](const auto &a, const auto &b) {
      return a.seconds > b.seconds;
    });
    return sorted;
  }

private:
  ProfileRow &rowOf(InstructionId id, const format::Program &program,
                    const format::Instruction &instruction, const OpShare &op) {
    ProfileRow row;
    switch (key) {
    case ProfileKey::Kernel:
      row.name = nameOf(instruction);
      row.id = id;
      break;
    case ProfileKey::Op:
      row.name = withoutTower(op.name);
      break;
    case ProfileKey::Line:
      row.line = op.line;
      break;
    case ProfileKey::Layer:
      row.name = layerOf(op.name);
      break;
    case ProfileKey::Device:
      row.name = deviceOf(model, program);
      break;
    }
    RowKey which = key == ProfileKey::Line
                       ? RowKey{"", row.line, 0}
                       : RowKey{row.name, row.id.program, row.id.instruction};
    return rows.try_emplace(std::move(which), std::move(row)).first->second;
  }

  const format::Model &model;
  const format::Graph &graph;
  const ProfileKey key;
  std::map<RowKey, ProfileRow> rows;
};

} // namespace

std::vector<ProfileRow> tabulate(const format::Model &model,
                                 const format::Graph &graph,
                                 std::span<const InstructionSeconds> times,
                                 ProfileKey key) {
  Tabulator tabulator(model, graph, key);
  for (const InstructionSeconds &time : times)
    tabulator.add(time);
  return tabulator.take();
}

ProfileRow totalOf(std::span<const ProfileRow> rows) {
  ProfileRow total;
  for (const ProfileRow &row : rows) {
    total.count += row.count;
    total.seconds += row.seconds;
    total.flops += row.flops;
    total.bytes += row.bytes;
    for (size_t phase = 0; phase < kStepPhases; ++phase)
      total.phases[phase] += row.phases[phase];
  }
  return total;
}

} // namespace graphc::runtime
