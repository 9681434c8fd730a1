// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A member meets a collective when it first, and when it last, sends or
// receives a part of it. Members that met two collectives in different orders
// could each hold what the other one needs, once buffers are finite.
#include "runtime/format/check/PlanRules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace graphc::runtime {

namespace {

/// The graph of what comes before what: a node per collective, joined to the
/// next one of each program. Those that one frame carries are met together, so
/// behind each frame there is a node of its own.
class CollectiveOrder {
public:
  CollectiveOrder(const PlanView &plan, const PlanNames &names, bool first)
      : plan(plan), names(names), first(first) {}

  PlanResult check();

private:
  struct Node {
    uint64_t number;             ///< of the collective; 0: behind a frame
    InstructionId seen;          ///< where a program meets it
    std::vector<uint32_t> after; ///< nodes that come after it
  };
  /// (instruction, node)
  using Meetings = std::vector<std::pair<uint32_t, uint32_t>>;

  uint32_t addNode(uint64_t number, InstructionId seen);
  Meetings meetingsOf(uint32_t program);
  void chain(uint32_t program, const Meetings &meetings);

  const PlanView &plan;
  const PlanNames &names;
  bool first;
  std::vector<Node> nodes;
  std::map<uint64_t, uint32_t> nodeOf; ///< by number of the collective
};

uint32_t CollectiveOrder::addNode(uint64_t number, InstructionId seen) {
  nodes.push_back({number, seen, {}});
  return nodes.size() - 1;
}

/// Finds the program's first, or last, instruction of each collective.
CollectiveOrder::Meetings CollectiveOrder::meetingsOf(uint32_t program) {
  std::map<uint32_t, uint32_t> touched; // instruction by node
  const ProgramView &view = plan.programs[program];
  for (uint32_t i = 0; i < view.instructions.size(); ++i)
    for (uint32_t edge : view.list(view.instructions[i].edges)) {
      uint64_t number = plan.collectives[edge];
      if (number == 0)
        continue;
      auto [it, isNew] = nodeOf.try_emplace(number, nodes.size());
      if (isNew)
        addNode(number, {program, i});
      if (first)
        touched.try_emplace(it->second, i);
      else
        touched[it->second] = i;
    }
  Meetings meetings;
  for (auto [node, instruction] : touched) {
    meetings.push_back({instruction, node});
    nodes[node].seen = {program, instruction};
  }
  std::sort(meetings.begin(), meetings.end());
  return meetings;
}

void CollectiveOrder::chain(uint32_t program, const Meetings &meetings) {
  std::optional<uint32_t> before;
  for (size_t i = 0; i < meetings.size();) {
    uint32_t instruction = meetings[i].first;
    uint32_t behind = addNode(0, {program, instruction});
    for (; i < meetings.size() && meetings[i].first == instruction; ++i) {
      if (before)
        nodes[*before].after.push_back(meetings[i].second);
      nodes[meetings[i].second].after.push_back(behind);
    }
    before = behind;
  }
}

PlanResult CollectiveOrder::check() {
  for (uint32_t p = 0; p < plan.programs.size(); ++p)
    chain(p, meetingsOf(p));
  std::vector<uint32_t> waiting(nodes.size(), 0), ready;
  for (const Node &node : nodes)
    for (uint32_t next : node.after)
      ++waiting[next];
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (waiting[i] == 0)
      ready.push_back(i);
  for (size_t i = 0; i < ready.size(); ++i)
    for (uint32_t next : nodes[ready[i]].after)
      if (--waiting[next] == 0)
        ready.push_back(next);
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (waiting[i] != 0 && nodes[i].number != 0) {
      InstructionId seen = nodes[i].seen;
      return PlanFinding{
          seen,
          {},
          "collective " + textOf(nodes[i].number) + ": " +
              names.place(seen.program, seen.instruction) + " ",
          (first ? "begins" : "ends") +
              std::string(" it before or after another collective that another "
                          "program meets in the other order")};
    }
  return std::nullopt;
}

} // namespace

PlanResult checkCollectives(const PlanView &plan, const PlanNames &names) {
  GRAPHC_CHECK(CollectiveOrder(plan, names, /*first=*/true).check());
  return CollectiveOrder(plan, names, /*first=*/false).check();
}

} // namespace graphc::runtime
