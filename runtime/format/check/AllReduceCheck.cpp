// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the instructions that are left out where a library makes the sum
// of an AllReduce are needed by nothing else, and that all programs come to
// their end without them.
#include "runtime/format/check/PlanRules.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace graphc::runtime {

namespace {

using Kind = InstructionView::Kind;

/// By number of the AllReduce: its instruction in each program that has one.
using Reduces = std::map<uint64_t, std::map<uint32_t, uint32_t>>;

class AllReduceChecker {
public:
  AllReduceChecker(const PlanView &plan, const PlanNames &names)
      : plan(plan), names(names) {}

  PlanResult check();

private:
  using Place = InstructionId;

  std::string where(Place at) const {
    return names.place(at.program, at.instruction);
  }
  std::string reduceText(uint64_t number) const {
    return names.allReduce() + " " + textOf(number);
  }
  static PlanFinding fail(Place at, std::string cause,
                          std::optional<Place> other = {}) {
    return {at, other, "", std::move(cause)};
  }

  PlanResult collect(uint32_t program);
  PlanResult checkServants(uint32_t program);
  PlanResult checkServant(Place at);
  PlanResult checkEndpoints();
  PlanResult checkPartners();

  const PlanView &plan;
  const PlanNames &names;
  Reduces reduces;
};

PlanResult AllReduceChecker::collect(uint32_t program) {
  const auto &instructions = plan.programs[program].instructions;
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].kind != Kind::AllReduce)
      continue;
    uint64_t number = instructions[i].allReduce;
    if (number == 0)
      return fail({program, i}, "it is an " + names.allReduce() +
                                    " without a number; they count from 1");
    auto [known, isNew] = reduces[number].try_emplace(program, i);
    Place first{program, known->second};
    if (!isNew)
      return fail({program, i},
                  "it is " + reduceText(number) + ", as " + where(first) +
                      " is already",
                  first);
  }
  return std::nullopt;
}

PlanResult AllReduceChecker::checkServants(uint32_t program) {
  const auto &instructions = plan.programs[program].instructions;
  for (uint32_t i = 0; i < instructions.size(); ++i)
    if (instructions[i].serves != 0)
      GRAPHC_CHECK(checkServant({program, i}));
  return std::nullopt;
}

/// An instruction that is left out has no effect but on the sum.
PlanResult AllReduceChecker::checkServant(Place at) {
  const ProgramView &program = plan.programs[at.program];
  const InstructionView &servant = program.instructions[at.instruction];
  std::string serves = "it serves " + reduceText(servant.serves);
  auto known = reduces.find(servant.serves);
  if (known == reduces.end() || !known->second.count(at.program) ||
      known->second.at(at.program) < at.instruction)
    return fail(at, serves + ", which is not after it in its program");
  if (servant.kind != Kind::Compute && servant.kind != Kind::Send &&
      servant.kind != Kind::Recv)
    return fail(at,
                serves + ", but is not a Dispatch, Copy, Fill, Send or Recv");
  for (uint32_t slot : program.list(servant.writes))
    if (program.slots[slot].kind == SlotView::Kind::Variable)
      return fail(at, serves + " alone, but writes a variable");
  return std::nullopt;
}

/// A transfer is left out at both of its endpoints, or at none.
PlanResult AllReduceChecker::checkEndpoints() {
  // By edge: the endpoint that was seen first.
  std::vector<std::optional<Place>> endpoints(plan.collectives.size());
  for (uint32_t p = 0; p < plan.programs.size(); ++p)
    for (uint32_t i = 0; i < plan.programs[p].instructions.size(); ++i) {
      const InstructionView &instruction = plan.programs[p].instructions[i];
      for (uint32_t edge : plan.programs[p].list(instruction.edges)) {
        std::optional<Place> &other = endpoints[edge];
        if (other && instructionAt(plan, *other).serves != instruction.serves)
          return fail({p, i},
                      "it is one end of " + names.edge(edge) +
                          ", whose other end does not serve the same " +
                          names.allReduce(),
                      other);
        other = Place{p, i};
      }
    }
  return std::nullopt;
}

PlanResult AllReduceChecker::checkPartners() {
  for (const auto &[number, places] : reduces) {
    Place first{places.begin()->first, places.begin()->second};
    if (places.size() < 2)
      return fail(first, reduceText(number) +
                             " is in no other program; it needs two or more");
    auto sizeAt = [&](Place at) {
      const ProgramView &program = plan.programs[at.program];
      uint32_t term = program.list(instructionAt(plan, at).reads).front();
      return program.slots[term].size;
    };
    for (const auto &[program, index] : places) {
      Place at{program, index};
      if (sizeAt(at) != sizeAt(first))
        return fail(at,
                    "it adds " + textOf(sizeAt(at)) + " bytes to " +
                        reduceText(number) + ", but " + where(first) +
                        " adds " + textOf(sizeAt(first)),
                    first);
    }
  }
  return std::nullopt;
}

/// Runs all programs as where a library makes all sums: each as far as it
/// comes, and again when what it waits for is there. What can run never stops
/// to be able to, so one way to run them shows it for all.
class LibraryWalk {
public:
  LibraryWalk(const PlanView &plan, const Reduces &reduces)
      : plan(plan), reduces(reduces), cursors(plan.programs.size(), 0),
        sent(plan.collectives.size(), false), receiver(sent.size()) {}

  PlanResult check(const PlanNames &names);

private:
  void advance(uint32_t index);
  bool pass(uint32_t index, const InstructionView &next);
  bool meet(uint32_t index, uint64_t number);

  const PlanView &plan;
  const Reduces &reduces;
  std::vector<uint32_t> cursors;                 ///< by program
  std::vector<bool> sent;                        ///< by edge
  std::vector<std::optional<uint32_t>> receiver; ///< by edge: who waits for it
  std::map<uint64_t, uint32_t> arrived;          ///< by number: programs
  std::vector<uint32_t> ready;                   ///< programs that can go on
};

PlanResult LibraryWalk::check(const PlanNames &names) {
  for (uint32_t p = plan.programs.size(); p-- > 0;)
    ready.push_back(p);
  while (!ready.empty()) {
    uint32_t index = ready.back();
    ready.pop_back();
    advance(index);
  }
  for (uint32_t p = 0; p < plan.programs.size(); ++p)
    if (cursors[p] != plan.programs[p].instructions.size())
      return PlanFinding{InstructionId{p, cursors[p]},
                         {},
                         "",
                         "it is in a deadlock where a library does each " +
                             names.allReduce() +
                             ": other programs come to it only after what "
                             "waits for this one"};
  return std::nullopt;
}

void LibraryWalk::advance(uint32_t index) {
  const auto &instructions = plan.programs[index].instructions;
  uint32_t &cursor = cursors[index];
  while (cursor < instructions.size() && (instructions[cursor].serves != 0 ||
                                          pass(index, instructions[cursor])))
    ++cursor;
}

/// True when the program gets past the instruction; if not, it is ready again
/// when it may.
bool LibraryWalk::pass(uint32_t index, const InstructionView &next) {
  if (next.kind == Kind::AllReduce)
    return meet(index, next.allReduce);
  for (uint32_t edge : plan.programs[index].list(next.edges)) {
    if (next.kind == Kind::Recv && !sent[edge]) {
      receiver[edge] = index;
      return false;
    }
    if (next.kind == Kind::Recv)
      continue;
    sent[edge] = true;
    if (receiver[edge])
      ready.push_back(*receiver[edge]);
    receiver[edge].reset();
  }
  return true;
}

/// The last of the programs lets all others go on.
bool LibraryWalk::meet(uint32_t index, uint64_t number) {
  const auto &places = reduces.at(number);
  if (++arrived[number] < places.size())
    return false;
  for (const auto &[other, instruction] : places)
    if (other != index) {
      ++cursors[other];
      ready.push_back(other);
    }
  return true;
}

PlanResult AllReduceChecker::check() {
  for (uint32_t p = 0; p < plan.programs.size(); ++p)
    GRAPHC_CHECK(collect(p));
  for (uint32_t p = 0; p < plan.programs.size(); ++p)
    GRAPHC_CHECK(checkServants(p));
  GRAPHC_CHECK(checkEndpoints());
  if (reduces.empty() || !plan.isWhole)
    return std::nullopt;
  GRAPHC_CHECK(checkPartners());
  return LibraryWalk(plan, reduces).check(names);
}

} // namespace

PlanResult checkAllReduces(const PlanView &plan, const PlanNames &names) {
  return AllReduceChecker(plan, names).check();
}

} // namespace graphc::runtime
