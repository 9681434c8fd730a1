// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs run at the same time: what one writes no other may touch.
#include "runtime/format/check/PlanRules.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace graphc::runtime {

namespace {

class VariableUses {
public:
  VariableUses(const PlanView &plan, const PlanNames &names)
      : plan(plan), names(names) {}

  PlanResult check();

private:
  struct Use {
    InstructionId at;
    bool writes;
  };

  PlanResult add(InstructionId at, uint32_t slot, bool writes);

  const PlanView &plan;
  const PlanNames &names;
  /// By variable: the first use, or else the first of the program that writes.
  std::map<uint32_t, Use> uses;
};

PlanResult VariableUses::add(InstructionId at, uint32_t index, bool writes) {
  const SlotView &slot = plan.programs[at.program].slots[index];
  if (slot.kind != SlotView::Kind::Variable)
    return std::nullopt;
  Use &known = uses.try_emplace(slot.variable, Use{at, writes}).first->second;
  if (known.at.program != at.program && (known.writes || writes))
    return PlanFinding{at, known.at,
                       "variable " + names.variable(at.program, index) + ": " +
                           names.place(at.program, at.instruction) + " ",
                       (writes ? "writes it while " : "reads it while ") +
                           names.place(known.at.program, known.at.instruction) +
                           (known.writes ? " writes it" : " reads it")};
  if (writes && !known.writes)
    known = {at, true};
  return std::nullopt;
}

PlanResult VariableUses::check() {
  for (uint32_t p = 0; p < plan.programs.size(); ++p) {
    const ProgramView &program = plan.programs[p];
    for (uint32_t i = 0; i < program.instructions.size(); ++i) {
      for (uint32_t slot : program.list(program.instructions[i].reads))
        GRAPHC_CHECK(add({p, i}, slot, false));
      for (uint32_t slot : program.list(program.instructions[i].writes))
        GRAPHC_CHECK(add({p, i}, slot, true));
    }
  }
  return std::nullopt;
}

/// Takes of a batch, or of its part.
struct Call {
  uint32_t dataset, shard, shards;
  InstructionId at;
};

std::vector<Call> callsOf(const PlanView &plan) {
  std::vector<Call> calls;
  for (uint32_t p = 0; p < plan.programs.size(); ++p) {
    const auto &instructions = plan.programs[p].instructions;
    for (uint32_t i = 0; i < instructions.size(); ++i)
      if (instructions[i].kind == InstructionView::Kind::NextBatch) {
        const BatchView &batch = instructions[i].batch;
        calls.push_back({batch.dataset, batch.shard, batch.shards, {p, i}});
      }
  }
  std::stable_sort(
      calls.begin(), calls.end(), [](const Call &a, const Call &b) {
        return std::tie(a.dataset, a.shard) < std::tie(b.dataset, b.shard);
      });
  return calls;
}

std::string placeText(const PlanNames &names, const Call &call) {
  return names.place(call.at.program, call.at.instruction);
}

/// `calls` are those for one shard, `first` is one for the same dataset.
PlanResult checkShard(const PlanNames &names, const Call *begin,
                      const Call *end, const Call &first) {
  for (const Call *call = begin; call != end; ++call) {
    if (call->shards != first.shards)
      return PlanFinding{call->at, first.at, "",
                         "it divides a batch into " + textOf(call->shards) +
                             " shards where " + placeText(names, first) +
                             " makes " + textOf(first.shards)};
    if (call->at.program != begin->at.program)
      return PlanFinding{call->at, begin->at, "",
                         "it takes shard " + textOf(call->shard) + " as " +
                             placeText(names, *begin) +
                             " does; one shard belongs to one program"};
  }
  return std::nullopt;
}

/// All shards of each dataset are taken, equally often.
PlanResult checkShards(const PlanView &plan, const PlanNames &names) {
  std::vector<Call> calls = callsOf(plan);
  const Call *end = calls.data() + calls.size();
  for (const Call *at = calls.data(); at != end;) {
    const Call &first = *at;
    int64_t rounds = -1;
    uint64_t shard = 0;
    for (; at != end && at->dataset == first.dataset &&
           (at->shard == shard || !plan.isWhole);
         ++shard) {
      const Call *next = std::find_if(at, end, [&](const Call &call) {
        return call.dataset != at->dataset || call.shard != at->shard;
      });
      GRAPHC_CHECK(checkShard(names, at, next, first));
      if (rounds >= 0 && next - at != rounds)
        return PlanFinding{at->at, first.at, "",
                           "shard " + textOf(at->shard) + " is taken " +
                               textOf(next - at) + " times but shard " +
                               textOf(first.shard) + " " + textOf(rounds) +
                               " times"};
      rounds = next - at;
      at = next;
    }
    if (plan.isWhole && shard != first.shards)
      return PlanFinding{first.at,
                         {},
                         "",
                         "no instruction takes shard " + textOf(shard) +
                             " of " + textOf(first.shards)};
  }
  return std::nullopt;
}

} // namespace

PlanResult checkSharing(const PlanView &plan, const PlanNames &names) {
  GRAPHC_CHECK(VariableUses(plan, names).check());
  return checkShards(plan, names);
}

} // namespace graphc::runtime
