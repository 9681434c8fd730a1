// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs run at the same time: what one writes no other may touch.
#include "runtime/format/PlanParts.h"
#include "runtime/format/Quote.h"
#include "runtime/format/SlotUses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace graphc::runtime {

namespace {

std::string textOf(uint64_t number) { return std::to_string(number); }

class VariableUses {
public:
  explicit VariableUses(const format::Graph &graph) : graph(graph) {}

  Status check();

private:
  struct Use {
    End end;
    bool writes;
  };

  Status add(const End &end, bool writes);

  const format::Graph &graph;
  /// By variable: the first use, or else the first of the program that writes.
  std::map<uint32_t, Use> uses;
};

Status VariableUses::add(const End &end, bool writes) {
  const format::Slot &slot =
      *graph.programs()->Get(end.program)->slots()->Get(end.slot);
  if (slot.kind() != format::SlotKind::Variable)
    return Status::ok();
  Use &known = uses.try_emplace(slot.index(), Use{end, writes}).first->second;
  if (known.end.program != end.program && (known.writes || writes))
    return dataLoss("variable " + quote(viewOf(slot.name())) + ": " +
                    endText(graph, end) + (writes ? " writes" : " reads") +
                    " it while " + endText(graph, known.end) +
                    (known.writes ? " writes it" : " reads it"));
  if (writes && !known.writes)
    known = {end, true};
  return Status::ok();
}

Status VariableUses::check() {
  for (uint32_t p = 0; p < graph.programs()->size(); ++p) {
    const auto &instructions = *graph.programs()->Get(p)->instructions();
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      Status status;
      auto each = [&](bool writes) {
        return [&, writes](uint32_t slot) {
          if (status.isOk())
            status = add({p, i, slot}, writes);
        };
      };
      forEachOperand(*instructions.Get(i), each(false));
      forEachWrite(*instructions.Get(i), each(true));
      GRAPHC_TRY(status);
    }
  }
  return Status::ok();
}

/// Takes of a batch, or of its part.
struct Call {
  uint32_t dataset, shard, shards;
  End end;
};

std::vector<Call> callsOf(const format::Graph &graph) {
  std::vector<Call> calls;
  for (uint32_t p = 0; p < graph.programs()->size(); ++p) {
    const auto &instructions = *graph.programs()->Get(p)->instructions();
    for (uint32_t i = 0; i < instructions.size(); ++i)
      if (const auto *call = instructions.Get(i)->action_as_HostCall();
          call && call->function() == format::HostFunction::NextBatch)
        calls.push_back(
            {call->index(), call->shard(), call->shards(), {p, i, 0}});
  }
  std::stable_sort(
      calls.begin(), calls.end(), [](const Call &a, const Call &b) {
        return std::tie(a.dataset, a.shard) < std::tie(b.dataset, b.shard);
      });
  return calls;
}

/// `calls` are those for one shard, `first` is one for the same dataset.
Status checkShard(const format::Graph &graph, const Call *begin,
                  const Call *end, const Call &first) {
  for (const Call *call = begin; call != end; ++call) {
    if (call->shards != first.shards)
      return dataLoss(endText(graph, call->end) + ": it divides a batch into " +
                      textOf(call->shards) + " shards where " +
                      endText(graph, first.end) + " makes " +
                      textOf(first.shards));
    if (call->end.program != begin->end.program)
      return dataLoss(endText(graph, call->end) + ": it takes shard " +
                      textOf(call->shard) + " as " +
                      endText(graph, begin->end) +
                      " does; one shard belongs to one program");
  }
  return Status::ok();
}

/// All shards of each dataset are taken, equally often.
Status checkShards(const format::Graph &graph, bool isWhole) {
  std::vector<Call> calls = callsOf(graph);
  const Call *end = calls.data() + calls.size();
  for (const Call *at = calls.data(); at != end;) {
    const Call &first = *at;
    int64_t rounds = -1;
    uint64_t shard = 0;
    for (; at != end && at->dataset == first.dataset &&
           (at->shard == shard || !isWhole);
         ++shard) {
      const Call *next = std::find_if(at, end, [&](const Call &call) {
        return call.dataset != at->dataset || call.shard != at->shard;
      });
      GRAPHC_TRY(checkShard(graph, at, next, first));
      if (rounds >= 0 && next - at != rounds)
        return dataLoss(endText(graph, at->end) + ": shard " +
                        textOf(at->shard) + " is taken " + textOf(next - at) +
                        " times but shard " + textOf(first.shard) + " " +
                        textOf(rounds) + " times");
      rounds = next - at;
      at = next;
    }
    if (isWhole && shard != first.shards)
      return dataLoss(endText(graph, first.end) +
                      ": no instruction takes shard " + textOf(shard) + " of " +
                      textOf(first.shards));
  }
  return Status::ok();
}

} // namespace

Status checkSharing(const format::Graph &graph, bool isWhole) {
  GRAPHC_TRY(VariableUses(graph).check());
  return checkShards(graph, isWhole);
}

} // namespace graphc::runtime
