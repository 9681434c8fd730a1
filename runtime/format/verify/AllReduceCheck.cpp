// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the instructions that are left out where a library makes the sum
// of an AllReduce are needed by nothing else, and that all programs come to
// their end without them.
#include "runtime/format/PlanParts.h"
#include "runtime/format/SlotUses.h"
#include "runtime/format/print/PlanText.h"

#include <map>
#include <optional>
#include <vector>

namespace graphc::runtime {

namespace {

std::string textOf(uint64_t number) { return std::to_string(number); }

class AllReduceChecker {
public:
  AllReduceChecker(const format::Graph &graph, bool isWhole)
      : graph(graph), isWhole(isWhole), programs(*graph.programs()) {}

  Status check();

private:
  const format::Instruction &instruction(const End &end) const {
    return *programs.Get(end.program)->instructions()->Get(end.instruction);
  }
  std::string where(const End &end) const { return endText(graph, end); }

  Status collect(uint32_t program);
  Status checkServants(uint32_t program);
  Status checkServant(const End &end);
  Status checkEnds();
  Status checkPartners();
  Status checkRendezvous();

  const format::Graph &graph;
  bool isWhole;
  const flatbuffers::Vector<flatbuffers::Offset<format::Program>> &programs;
  /// By number of the AllReduce: where it is, per program.
  std::map<uint32_t, std::map<uint32_t, End>> reduces;
};

Status AllReduceChecker::check() {
  for (uint32_t p = 0; p < programs.size(); ++p)
    GRAPHC_TRY(collect(p));
  for (uint32_t p = 0; p < programs.size(); ++p)
    GRAPHC_TRY(checkServants(p));
  GRAPHC_TRY(checkEnds());
  if (reduces.empty() || !isWhole)
    return Status::ok();
  GRAPHC_TRY(checkPartners());
  return checkRendezvous();
}

Status AllReduceChecker::collect(uint32_t program) {
  const auto &instructions = *programs.Get(program)->instructions();
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const auto *reduce = instructions.Get(i)->action_as_AllReduce();
    if (!reduce)
      continue;
    End end{program, i, reduce->source()};
    if (reduce->collective() == 0)
      return dataLoss(where(end) +
                      ": it is an AllReduce without a number; they count "
                      "from 1");
    auto [known, isNew] =
        reduces[reduce->collective()].try_emplace(program, end);
    if (!isNew)
      return dataLoss(where(end) + ": it is AllReduce " +
                      textOf(reduce->collective()) + ", as " +
                      where(known->second) + " is already");
  }
  return Status::ok();
}

Status AllReduceChecker::checkServants(uint32_t program) {
  const auto &instructions = *programs.Get(program)->instructions();
  for (uint32_t i = 0; i < instructions.size(); ++i)
    if (instructions.Get(i)->collective() != 0)
      GRAPHC_TRY(checkServant({program, i, 0}));
  return Status::ok();
}

/// An instruction that is left out has no effect but on the sum.
Status AllReduceChecker::checkServant(const End &end) {
  const format::Instruction &servant = instruction(end);
  std::string reduce = "AllReduce " + textOf(servant.collective());
  auto known = reduces.find(servant.collective());
  if (known == reduces.end() || !known->second.count(end.program) ||
      known->second.at(end.program).instruction < end.instruction)
    return dataLoss(where(end) + ": it serves " + reduce +
                    ", which is not behind it in its program");
  if (servant.action_as_HostCall() || servant.action_as_AllReduce())
    return dataLoss(where(end) + ": it serves " + reduce +
                    ", but is not a Dispatch, Copy, Fill, Send or Recv");
  const auto &slots = *programs.Get(end.program)->slots();
  bool writesVariable = false;
  forEachWrite(servant, [&](uint32_t slot) {
    writesVariable |= slots.Get(slot)->kind() == format::SlotKind::Variable;
  });
  if (writesVariable)
    return dataLoss(where(end) + ": it serves " + reduce +
                    " alone, but writes a variable");
  return Status::ok();
}

/// A transfer is left out at both of its ends, or at none.
Status AllReduceChecker::checkEnds() {
  std::map<uint32_t, End> ends; // by edge: the one that was seen first
  for (uint32_t p = 0; p < programs.size(); ++p)
    for (uint32_t i = 0; i < programs.Get(p)->instructions()->size(); ++i) {
      End end{p, i, 0};
      EdgeFrame frame = frameOf(instruction(end));
      for (uint32_t e = 0; frame.edges && e < frame.edges->size(); ++e) {
        uint32_t edge = frame.edges->Get(e);
        auto [other, isNew] = ends.try_emplace(edge, end);
        if (!isNew && instruction(other->second).collective() !=
                          instruction(end).collective())
          return dataLoss(edgeText(graph, edge) + ": " + where(end) + " and " +
                          where(other->second) +
                          " do not serve the same AllReduce");
      }
    }
  return Status::ok();
}

Status AllReduceChecker::checkPartners() {
  for (const auto &[number, ends] : reduces) {
    const End &first = ends.begin()->second;
    if (ends.size() < 2)
      return dataLoss(where(first) + ": AllReduce " + textOf(number) +
                      " is in no other program; it needs two or more");
    auto sizeAt = [&](const End &end) {
      return programs.Get(end.program)->slots()->Get(end.slot)->size();
    };
    for (const auto &[program, end] : ends)
      if (sizeAt(end) != sizeAt(first))
        return dataLoss(where(end) + ": it adds " + textOf(sizeAt(end)) +
                        " bytes to AllReduce " + textOf(number) + ", but " +
                        where(first) + " adds " + textOf(sizeAt(first)));
  }
  return Status::ok();
}

/// Runs all programs as where a library makes all sums: each as far as it
/// comes, and again when what it waits for is there. What can run never stops
/// to be able to, so one way to run them shows it for all.
class LibraryWalk {
public:
  LibraryWalk(const format::Graph &graph,
              const std::map<uint32_t, std::map<uint32_t, End>> &reduces)
      : graph(graph), reduces(reduces), cursors(graph.programs()->size(), 0),
        sent(graph.edges() ? graph.edges()->size() : 0, false),
        receiver(sent.size()) {}

  Status check();

private:
  const format::Program &program(uint32_t index) const {
    return *graph.programs()->Get(index);
  }
  void advance(uint32_t index);
  bool pass(uint32_t index, const format::Instruction &next);
  bool meet(uint32_t index, uint32_t number);

  const format::Graph &graph;
  const std::map<uint32_t, std::map<uint32_t, End>> &reduces;
  std::vector<uint32_t> cursors;                 ///< by program
  std::vector<bool> sent;                        ///< by edge
  std::vector<std::optional<uint32_t>> receiver; ///< by edge: who waits for it
  std::map<uint32_t, uint32_t> arrived;          ///< by number: programs
  std::vector<uint32_t> ready;                   ///< programs that can go on
};

Status LibraryWalk::check() {
  for (uint32_t p = graph.programs()->size(); p-- > 0;)
    ready.push_back(p);
  while (!ready.empty()) {
    uint32_t index = ready.back();
    ready.pop_back();
    advance(index);
  }
  for (uint32_t p = 0; p < graph.programs()->size(); ++p)
    if (cursors[p] != program(p).instructions()->size())
      return dataLoss(endText(graph, {p, cursors[p], 0}) +
                      " is in a deadlock where a library does each AllReduce");
  return Status::ok();
}

void LibraryWalk::advance(uint32_t index) {
  const auto &instructions = *program(index).instructions();
  uint32_t &cursor = cursors[index];
  while (cursor < instructions.size() &&
         (instructions.Get(cursor)->collective() != 0 ||
          pass(index, *instructions.Get(cursor))))
    ++cursor;
}

/// True when the program gets past the instruction; if not, it is ready again
/// when it may.
bool LibraryWalk::pass(uint32_t index, const format::Instruction &next) {
  if (uint32_t number = allReduceOf(next))
    return meet(index, number);
  EdgeFrame frame = frameOf(next);
  for (uint32_t e = 0; frame.edges && e < frame.edges->size(); ++e) {
    uint32_t edge = frame.edges->Get(e);
    if (!frame.isSend && !sent[edge]) {
      receiver[edge] = index;
      return false;
    }
    if (!frame.isSend)
      continue;
    sent[edge] = true;
    if (receiver[edge])
      ready.push_back(*receiver[edge]);
    receiver[edge].reset();
  }
  return true;
}

/// The last of the programs lets all others go on.
bool LibraryWalk::meet(uint32_t index, uint32_t number) {
  const auto &ends = reduces.at(number);
  if (++arrived[number] < ends.size())
    return false;
  for (const auto &[other, end] : ends)
    if (other != index) {
      ++cursors[other];
      ready.push_back(other);
    }
  return true;
}

Status AllReduceChecker::checkRendezvous() {
  return LibraryWalk(graph, reduces).check();
}

} // namespace

Status checkAllReduces(const format::Graph &graph, bool isWhole) {
  return AllReduceChecker(graph, isWhole).check();
}

} // namespace graphc::runtime
