// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of one program, in two steps. First the plan alone: slots that are in
// use at the same time lie apart, or one inside the other, as views do. Then
// the instructions in their order: each finds in its slots what was written
// there for it, and waits for all that it must not overtake.
#include "runtime/format/check/PlanRules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace graphc::runtime {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// Steps that a slot's use may cost on average, and readers per step; without
/// a bound a small file could ask for a walk without end.
constexpr uint64_t kStepsPerUse = 64;
constexpr uint64_t kReadersPerStep = 16;

class MemoryChecker {
public:
  MemoryChecker(const PlanView &plan, uint32_t number, const PlanNames &names)
      : plan(plan), number(number), names(names),
        program(plan.programs[number]), slots(program.slots),
        instructions(program.instructions), root(slots.size(), kNone),
        isWaited(instructions.size(), 0) {}

  PlanResult check();

private:
  /// Bytes of the arena, or a variable, since they were last written.
  struct Piece {
    uint64_t end = 0;
    uint32_t owner = kNone;  ///< the slot around those that use it
    uint32_t writer = kNone; ///< kNone: a feed
    std::vector<uint32_t> readers = {};
  };
  using Pieces = std::map<uint64_t, Piece>; ///< by the first byte

  const SlotView &slot(uint32_t index) const { return slots[index]; }
  uint64_t endOf(uint32_t index) const {
    return slot(index).offset + slot(index).size;
  }
  std::string nameOf(uint32_t index) const { return names.slot(number, index); }
  std::string at(uint32_t instruction) const {
    return names.instruction(number, instruction);
  }
  /// Returns the finding at the instruction or the port that is being checked.
  PlanFinding fail(std::string cause, uint32_t earlier = kNone) const {
    PlanFinding finding{{}, {}, "", std::move(cause)};
    if (earlier != kNone)
      finding.other = InstructionId{number, earlier};
    if (current != kNone)
      finding.at = InstructionId{number, current};
    else
      finding.subject = names.program(number) + ": " + port;
    return finding;
  }

  PlanResult findRoots();
  PlanResult checkApart(const std::vector<uint32_t> &byStart);
  PlanResult checkPorts(const char *kind, bool isFeed);
  PlanResult checkInstruction(uint32_t index);
  PlanResult checkRecv(uint32_t index);
  PlanResult checkLifetime(uint32_t index, uint32_t used);
  PlanResult read(uint32_t index, uint32_t used);
  PlanResult write(uint32_t index, uint32_t used);
  PlanResult checkWait(uint32_t index, uint32_t earlier, uint32_t used);
  PlanResult checkServes(uint32_t index, uint32_t writer, uint32_t used);
  PlanResult split(uint64_t place);
  PlanResult charge(uint64_t readers);

  bool isInArena(uint32_t index) const {
    return slot(index).kind == SlotView::Kind::Arena;
  }
  bool isVariable(uint32_t index) const {
    return slot(index).kind == SlotView::Kind::Variable;
  }

  const PlanView &plan;
  uint32_t number;
  const PlanNames &names;
  const ProgramView &program;
  const std::vector<SlotView> &slots;
  const std::vector<InstructionView> &instructions;
  uint32_t current = kNone;   ///< the instruction that is being checked
  std::string port;           ///< the port that is being checked, for messages
  std::vector<uint32_t> root; ///< the slot that a slot lies in, or itself
  std::vector<uint32_t>
      isWaited; ///< 1 + the last instruction that waits for it
  Pieces arena;
  std::map<uint32_t, Piece> variables;
  uint64_t steps = 0;
};

PlanResult MemoryChecker::check() {
  GRAPHC_CHECK(findRoots());
  uint64_t uses = plan.feeds.size() + plan.fetches.size();
  for (const InstructionView &instruction : instructions)
    uses += instruction.reads.size + instruction.writes.size;
  steps = kStepsPerUse * (uses + 1);
  GRAPHC_CHECK(checkPorts("feed", true));
  for (current = 0; current < instructions.size(); ++current)
    GRAPHC_CHECK(checkInstruction(current));
  current = kNone;
  return checkPorts("fetch", false);
}

/// Slots with one lifetime may lie inside each other.
PlanResult MemoryChecker::findRoots() {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < slots.size(); ++i)
    if (isInArena(i) && slot(i).size != 0)
      order.push_back(i);
  auto lifetime = [&](uint32_t i) {
    return std::pair(slot(i).first, slot(i).last);
  };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(lifetime(a), slot(a).offset, ~slot(a).size, a) <
           std::tuple(lifetime(b), slot(b).offset, ~slot(b).size, b);
  });
  std::vector<uint32_t> roots;
  for (uint32_t i : order) {
    root[i] = i;
    if (!roots.empty() && lifetime(roots.back()) == lifetime(i) &&
        endOf(i) <= endOf(roots.back()))
      root[i] = roots.back();
    else
      roots.push_back(i);
  }
  return checkApart(roots);
}

/// `byStart` is sorted by first instruction. A sweep over the instructions
/// keeps the slots in use by offset; a new one touches no neighbour.
PlanResult MemoryChecker::checkApart(const std::vector<uint32_t> &byStart) {
  std::map<uint64_t, uint32_t> inUse; // slot by offset
  std::multimap<uint32_t, uint64_t> offsetsByLast;
  for (uint32_t i : byStart) {
    while (!offsetsByLast.empty() &&
           offsetsByLast.begin()->first < slot(i).first) {
      inUse.erase(offsetsByLast.begin()->second);
      offsetsByLast.erase(offsetsByLast.begin());
    }
    auto next = inUse.lower_bound(slot(i).offset);
    std::optional<uint32_t> clash;
    if (next != inUse.end() && next->first < endOf(i))
      clash = next->second;
    else if (next != inUse.begin() &&
             endOf(std::prev(next)->second) > slot(i).offset)
      clash = std::prev(next)->second;
    if (clash)
      return fail(nameOf(i) + " lies in bytes of " + nameOf(*clash) +
                  " while both are in use, at instruction #" +
                  textOf(slot(i).first));
    inUse.emplace(slot(i).offset, i);
    offsetsByLast.emplace(slot(i).last, slot(i).offset);
  }
  return std::nullopt;
}

/// Feeds are there before the first instruction, fetches behind the last.
PlanResult MemoryChecker::checkPorts(const char *kind, bool isFeed) {
  for (const PortView &each : isFeed ? plan.feeds : plan.fetches) {
    uint32_t index = each.slot;
    if (each.program != number || !isInArena(index) || slot(index).size == 0)
      continue;
    port = kind + (" " + each.name) + ": ";
    if (!isFeed) {
      if (slot(index).last + uint64_t(1) < instructions.size())
        return fail(nameOf(index) + " is not kept to the end");
      GRAPHC_CHECK(read(index, kNone));
      continue;
    }
    if (slot(index).first != 0)
      return fail(nameOf(index) + " is not kept from the start");
    auto next = arena.lower_bound(slot(index).offset);
    if (next != arena.end() && next->first < endOf(index))
      return fail(nameOf(index) + " is fed twice");
    arena.emplace(slot(index).offset, Piece{endOf(index), root[index], kNone});
  }
  port.clear();
  return std::nullopt;
}

PlanResult MemoryChecker::checkInstruction(uint32_t index) {
  const InstructionView &instruction = instructions[index];
  for (uint32_t wait : program.list(instruction.waits))
    isWaited[wait] = index + 1;
  if (instruction.kind == InstructionView::Kind::Recv)
    GRAPHC_CHECK(checkRecv(index));
  // A kernel names the slots that it writes among its operands; what it reads
  // of them is its own matter.
  std::span<const uint32_t> written = program.list(instruction.writes);
  std::vector<uint32_t> writes(written.begin(), written.end());
  std::sort(writes.begin(), writes.end());
  for (uint32_t slot : program.list(instruction.reads))
    if (!std::binary_search(writes.begin(), writes.end(), slot))
      GRAPHC_CHECK(read(slot, index));
  for (uint32_t slot : writes)
    GRAPHC_CHECK(write(slot, index));
  return std::nullopt;
}

/// The sender does not ask, so the bytes belong to the slot from the start, and
/// nobody has written them.
PlanResult MemoryChecker::checkRecv(uint32_t index) {
  for (uint32_t used : program.list(instructions[index].writes)) {
    if (slot(used).first != 0)
      return fail(nameOf(used) + " is in use from instruction #" +
                  textOf(slot(used).first) +
                  " on, but its bytes may arrive before");
    auto next = arena.upper_bound(slot(used).offset);
    if (next != arena.begin() &&
        std::prev(next)->second.end > slot(used).offset)
      --next;
    if (next != arena.end() && next->first < endOf(used)) {
      if (next->second.writer == kNone)
        return fail(nameOf(used) + " is fed and received");
      return fail(nameOf(used) + " is written by " + at(next->second.writer) +
                      " while its bytes may arrive already",
                  next->second.writer);
    }
  }
  return std::nullopt;
}

PlanResult MemoryChecker::checkLifetime(uint32_t index, uint32_t used) {
  if (used == kNone || !isInArena(index) ||
      (slot(index).first <= used && used <= slot(index).last))
    return std::nullopt;
  return fail("it uses " + nameOf(index) + " outside of its lifetime, #" +
              textOf(slot(index).first) + " to #" + textOf(slot(index).last));
}

PlanResult MemoryChecker::checkWait(uint32_t index, uint32_t earlier,
                                    uint32_t used) {
  if (used == kNone || earlier == kNone || earlier == used ||
      isWaited[earlier] == used + 1)
    return std::nullopt;
  return fail("it does not wait for " + at(earlier) +
                  ", which uses the bytes of " + nameOf(index) + " before it",
              earlier);
}

/// Checks that what is made for an AllReduce only is read for it only.
PlanResult MemoryChecker::checkServes(uint32_t index, uint32_t writer,
                                      uint32_t used) {
  uint64_t served = writer == kNone ? 0 : instructions[writer].serves;
  if (served == 0 ||
      (used != kNone && (instructions[used].serves == served ||
                         instructions[used].allReduce == served)))
    return std::nullopt;
  return fail("it reads " + nameOf(index) + ", which " + at(writer) +
                  " makes for " + names.allReduce() + " " + textOf(served) +
                  " alone",
              writer);
}

/// No piece goes on behind `place` afterwards that began before it.
PlanResult MemoryChecker::split(uint64_t place) {
  auto next = arena.upper_bound(place);
  if (next == arena.begin())
    return std::nullopt;
  auto piece = std::prev(next);
  if (piece->first == place || piece->second.end <= place)
    return std::nullopt;
  GRAPHC_CHECK(charge(piece->second.readers.size()));
  Piece tail = piece->second;
  piece->second.end = place;
  arena.emplace(place, std::move(tail));
  return std::nullopt;
}

PlanResult MemoryChecker::charge(uint64_t readers) {
  uint64_t count = 1 + readers / kReadersPerStep;
  if (count > steps)
    return fail("its slots overlap in too many ways to be checked");
  steps -= count;
  return std::nullopt;
}

PlanResult MemoryChecker::read(uint32_t index, uint32_t used) {
  GRAPHC_CHECK(checkLifetime(index, used));
  if (isVariable(index)) {
    Piece &piece = variables[slot(index).variable];
    GRAPHC_CHECK(checkWait(index, piece.writer, used));
    piece.readers.push_back(used);
    return std::nullopt;
  }
  if (!isInArena(index) || slot(index).size == 0)
    return std::nullopt;
  uint64_t begin = slot(index).offset;
  if (used != kNone) {
    GRAPHC_CHECK(split(begin));
    GRAPHC_CHECK(split(endOf(index)));
  }
  auto piece = arena.upper_bound(begin);
  if (piece != arena.begin())
    --piece;
  for (uint64_t place = begin; place < endOf(index); ++piece) {
    if (piece == arena.end() || piece->first > place ||
        piece->second.end <= place || piece->second.owner != root[index])
      return fail("it reads " + nameOf(index) +
                  ", which nothing has written before");
    GRAPHC_CHECK(charge(piece->second.readers.size()));
    GRAPHC_CHECK(checkWait(index, piece->second.writer, used));
    GRAPHC_CHECK(checkServes(index, piece->second.writer, used));
    if (used != kNone)
      piece->second.readers.push_back(used);
    place = piece->second.end;
  }
  return std::nullopt;
}

PlanResult MemoryChecker::write(uint32_t index, uint32_t used) {
  GRAPHC_CHECK(checkLifetime(index, used));
  auto overtakes = [&](const Piece &piece) -> PlanResult {
    GRAPHC_CHECK(checkWait(index, piece.writer, used));
    for (uint32_t reader : piece.readers)
      GRAPHC_CHECK(checkWait(index, reader, used));
    return std::nullopt;
  };
  if (isVariable(index)) {
    Piece &piece = variables[slot(index).variable];
    GRAPHC_CHECK(overtakes(piece));
    piece = {0, kNone, used};
    return std::nullopt;
  }
  if (slot(index).size == 0)
    return std::nullopt;
  uint64_t begin = slot(index).offset;
  GRAPHC_CHECK(split(begin));
  GRAPHC_CHECK(split(endOf(index)));
  auto piece = arena.lower_bound(begin);
  while (piece != arena.end() && piece->first < endOf(index)) {
    GRAPHC_CHECK(charge(piece->second.readers.size()));
    if (piece->second.writer == used)
      return fail("it writes the bytes of " + nameOf(index) + " twice");
    GRAPHC_CHECK(overtakes(piece->second));
    piece = arena.erase(piece);
  }
  arena.emplace(begin, Piece{endOf(index), root[index], used});
  return std::nullopt;
}

} // namespace

PlanResult checkMemory(const PlanView &plan, uint32_t program,
                       const PlanNames &names) {
  return MemoryChecker(plan, program, names).check();
}

} // namespace graphc::runtime
