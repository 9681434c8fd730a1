// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profile/StepDependences.h"

#include "runtime/format/InstructionUses.h"

#include <map>

namespace graphc::runtime {

namespace {

std::vector<uint32_t> sizesOf(const format::Graph &graph) {
  std::vector<uint32_t> sizes;
  for (const format::Program *program : *graph.programs())
    sizes.push_back(program->instructions()->size());
  return sizes;
}

template <typename Visitor>
void forEachInstruction(const format::Graph &graph, Visitor visit) {
  for (uint32_t p = 0; p < graph.programs()->size(); ++p) {
    const auto &instructions = *graph.programs()->Get(p)->instructions();
    for (uint32_t i = 0; i < instructions.size(); ++i)
      visit(InstructionId{p, i}, *instructions.Get(i));
  }
}

} // namespace

StepDependences::StepDependences(std::span<const uint32_t> sizes) {
  firsts.push_back(0);
  for (uint32_t size : sizes) {
    auto program = static_cast<uint32_t>(firsts.size() - 1);
    programs.insert(programs.end(), size, program);
    firsts.push_back(firsts.back() + size);
  }
  earlier.resize(programs.size());
}

StepDependences StepDependences::of(const format::Graph &graph) {
  StepDependences step(sizesOf(graph));
  std::map<uint32_t, InstructionId> sends; // by edge
  std::map<uint32_t, std::vector<InstructionId>> sums;
  forEachInstruction(graph, [&](InstructionId id, const auto &instruction) {
    EdgeUses uses = edgesOf(instruction);
    if (uses.edges && uses.isSend)
      for (uint32_t edge : *uses.edges)
        sends[edge] = id;
    if (const auto *reduce = instruction.action_as_AllReduce())
      sums[reduce->collective()].push_back(id);
  });
  forEachInstruction(graph, [&](InstructionId id, const auto &instruction) {
    EdgeUses uses = edgesOf(instruction);
    if (!uses.edges || uses.isSend)
      return;
    // All edges of a receive are of one program, and often of one send.
    std::vector<uint32_t> &before = step.earlier[step.indexOf(id)];
    for (uint32_t edge : *uses.edges)
      if (auto send = sends.find(edge); send != sends.end())
        if (uint32_t index = step.indexOf(send->second);
            before.empty() || before.back() != index)
          before.push_back(index);
  });
  for (const auto &[_, parts] : sums)
    for (InstructionId part : parts)
      for (InstructionId other : parts)
        if (other.program != part.program && other.instruction > 0)
          step.add({other.program, other.instruction - 1}, part);
  return step;
}

} // namespace graphc::runtime
