// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the rules over a plan, and its order of instructions.
#include "runtime/format/check/PlanRules.h"

namespace graphc::runtime {

namespace {

/// REQUIRES: the edge is sent.
InstructionId senderOf(const PlanView &plan, uint32_t edge) {
  for (uint32_t p = 0; p < plan.programs.size(); ++p)
    for (uint32_t i = 0; i < plan.programs[p].instructions.size(); ++i) {
      const InstructionView &each = plan.programs[p].instructions[i];
      if (each.kind != InstructionView::Kind::Send)
        continue;
      for (uint32_t sent : plan.programs[p].list(each.edges))
        if (sent == edge)
          return {p, i};
    }
  return {};
}

} // namespace

PlanResult checkOrder(const PlanView &plan, const PlanNames &names) {
  std::vector<uint32_t> next(plan.programs.size(), 0);
  std::vector<bool> sent(plan.collectives.size(), false);
  for (size_t i = 0; i < plan.order.size(); ++i) {
    uint32_t p = plan.order[i];
    auto fail = [&](std::string cause, std::optional<InstructionId> at = {}) {
      return PlanFinding{
          at, {}, "entry " + textOf(i) + " of its order: ", std::move(cause)};
    };
    if (p >= plan.programs.size())
      return fail("program " + textOf(p) + " does not exist; there are " +
                  textOf(plan.programs.size()));
    const ProgramView &program = plan.programs[p];
    if (next[p] == program.instructions.size())
      return fail(names.program(p) + " has no more than " + textOf(next[p]) +
                  " instructions");
    InstructionId at{p, next[p]++};
    const InstructionView &instruction = program.instructions[at.instruction];
    for (uint32_t edge : program.list(instruction.edges)) {
      if (instruction.kind == InstructionView::Kind::Send)
        sent[edge] = true;
      else if (!sent[edge]) {
        InstructionId sender = senderOf(plan, edge);
        PlanFinding finding =
            fail(names.place(at.program, at.instruction) + " waits for " +
                     names.edge(edge) + ", which " +
                     names.instruction(sender.program, sender.instruction) +
                     " sends only later",
                 at);
        finding.other = sender;
        return finding;
      }
    }
  }
  for (uint32_t p = 0; p < plan.programs.size(); ++p)
    if (next[p] != plan.programs[p].instructions.size())
      return PlanFinding{
          {}, {}, "", "its order ends before " + names.place(p, next[p])};
  return std::nullopt;
}

PlanResult checkPlanView(const PlanView &plan, const PlanNames &names) {
  GRAPHC_CHECK(checkAllReduces(plan, names));
  if (plan.programs.size() == 1 && plan.order.empty())
    return std::nullopt;
  if (plan.isWhole) {
    GRAPHC_CHECK(checkOrder(plan, names));
    GRAPHC_CHECK(checkCollectives(plan, names));
  }
  GRAPHC_CHECK(checkSharing(plan, names));
  for (uint32_t p = 0; p < plan.programs.size(); ++p)
    GRAPHC_CHECK(checkMemory(plan, p, names));
  return std::nullopt;
}

} // namespace graphc::runtime
