// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of one program, in two steps. First the plan alone: slots that are in
// use at the same time lie apart, or one inside the other, as views do. Then
// the instructions in their order: each finds in its slots what was written
// there for it, and waits for all that it must not overtake.
#include "runtime/format/PlanParts.h"
#include "runtime/format/SlotUses.h"
#include "runtime/format/print/PlanText.h"

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

std::string textOf(uint64_t number) { return std::to_string(number); }

class MemoryChecker {
public:
  MemoryChecker(const format::Graph &graph, uint32_t number)
      : graph(graph), number(number), program(*graph.programs()->Get(number)),
        slots(*program.slots()), instructions(*program.instructions()),
        root(slots.size(), kNone), isWaited(instructions.size(), 0) {}

  Status check();

private:
  /// Bytes of the arena, or a variable, since they were last written.
  struct Piece {
    uint64_t end = 0;
    uint32_t owner = kNone;  ///< the slot around those that use it
    uint32_t writer = kNone; ///< kNone: a feed
    std::vector<uint32_t> readers = {};
  };
  using Pieces = std::map<uint64_t, Piece>; ///< by the first byte

  const format::Slot &slot(uint32_t index) const { return *slots.Get(index); }
  uint64_t endOf(uint32_t index) const {
    return slot(index).offset() + slot(index).size();
  }
  std::string nameOf(uint32_t index) const { return slotText(program, index); }
  std::string at(uint32_t instruction) const {
    return instructionText(program, instruction);
  }

  Status findRoots();
  Status checkApart(const std::vector<uint32_t> &byStart);
  Status checkPorts(const char *kind, bool isFeed);
  Status checkInstruction(uint32_t index);
  Status checkRecv(uint32_t index);
  Status checkLifetime(uint32_t index, uint32_t used);
  Status read(uint32_t index, uint32_t used);
  Status write(uint32_t index, uint32_t used);
  Status checkWait(uint32_t index, uint32_t earlier, uint32_t used);
  Status checkServes(uint32_t index, uint32_t writer, uint32_t used);
  Status split(uint64_t place);
  Status charge(uint64_t readers);

  bool isInArena(uint32_t index) const {
    return slot(index).kind() == format::SlotKind::Arena;
  }

  const format::Graph &graph;
  uint32_t number;
  const format::Program &program;
  const flatbuffers::Vector<flatbuffers::Offset<format::Slot>> &slots;
  const flatbuffers::Vector<flatbuffers::Offset<format::Instruction>>
      &instructions;
  std::vector<uint32_t> root; ///< the slot that a slot lies in, or itself
  std::vector<uint32_t>
      isWaited; ///< 1 + the last instruction that waits for it
  Pieces arena;
  std::map<uint32_t, Piece> variables;
  uint64_t steps = 0;
};

Status MemoryChecker::check() {
  GRAPHC_TRY(findRoots());
  uint64_t uses = graph.feeds()->size() + graph.fetches()->size();
  for (const format::Instruction *instruction : instructions) {
    auto count = [&](uint32_t) { ++uses; };
    forEachOperand(*instruction, count);
    forEachWrite(*instruction, count);
  }
  steps = kStepsPerUse * (uses + 1);
  GRAPHC_TRY(checkPorts("feed", true));
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    Status status = checkInstruction(i);
    if (!status.isOk())
      return status.annotate(at(i));
  }
  return checkPorts("fetch", false);
}

/// Slots with one lifetime may lie inside each other.
Status MemoryChecker::findRoots() {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < slots.size(); ++i)
    if (isInArena(i) && slot(i).size() != 0)
      order.push_back(i);
  auto lifetime = [&](uint32_t i) {
    return std::pair(slot(i).first(), slot(i).last());
  };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(lifetime(a), slot(a).offset(), ~slot(a).size(), a) <
           std::tuple(lifetime(b), slot(b).offset(), ~slot(b).size(), b);
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
Status MemoryChecker::checkApart(const std::vector<uint32_t> &byStart) {
  std::map<uint64_t, uint32_t> inUse; // slot by offset
  std::multimap<uint32_t, uint64_t> offsetsByLast;
  for (uint32_t i : byStart) {
    while (!offsetsByLast.empty() &&
           offsetsByLast.begin()->first < slot(i).first()) {
      inUse.erase(offsetsByLast.begin()->second);
      offsetsByLast.erase(offsetsByLast.begin());
    }
    auto next = inUse.lower_bound(slot(i).offset());
    std::optional<uint32_t> clash;
    if (next != inUse.end() && next->first < endOf(i))
      clash = next->second;
    else if (next != inUse.begin() &&
             endOf(std::prev(next)->second) > slot(i).offset())
      clash = std::prev(next)->second;
    if (clash)
      return dataLoss(nameOf(i) + " lies in bytes of " + nameOf(*clash) +
                      " while both are in use, at instruction #" +
                      textOf(slot(i).first()));
    inUse.emplace(slot(i).offset(), i);
    offsetsByLast.emplace(slot(i).last(), slot(i).offset());
  }
  return Status::ok();
}

/// Feeds are there before the first instruction, fetches behind the last.
Status MemoryChecker::checkPorts(const char *kind, bool isFeed) {
  const auto &ports = isFeed ? *graph.feeds() : *graph.fetches();
  for (const format::Port *port : ports) {
    if (port->program() != number || !isInArena(port->slot()) ||
        slot(port->slot()).size() == 0)
      continue;
    uint32_t index = port->slot();
    std::string what = kind + std::string(" ") + port->name()->str() + ": ";
    if (isFeed) {
      if (slot(index).first() != 0)
        return dataLoss(what + nameOf(index) + " is not kept from the start");
      auto next = arena.lower_bound(slot(index).offset());
      if (next != arena.end() && next->first < endOf(index))
        return dataLoss(what + nameOf(index) + " is fed twice");
      arena.emplace(slot(index).offset(),
                    Piece{endOf(index), root[index], kNone});
      continue;
    }
    if (slot(index).last() + uint64_t(1) < instructions.size())
      return dataLoss(what + nameOf(index) + " is not kept to the end");
    Status status = read(index, kNone);
    if (!status.isOk())
      return status.annotate(kind + std::string(" ") + port->name()->str());
  }
  return Status::ok();
}

Status MemoryChecker::checkInstruction(uint32_t index) {
  const format::Instruction &instruction = *instructions.Get(index);
  if (instruction.waits())
    for (uint32_t wait : *instruction.waits())
      isWaited[wait] = index + 1;
  if (instruction.action_as_Recv())
    GRAPHC_TRY(checkRecv(index));
  // A kernel names the slots that it writes among its operands; what it reads
  // of them is its own matter.
  std::vector<uint32_t> writes;
  forEachWrite(instruction, [&](uint32_t slot) { writes.push_back(slot); });
  std::sort(writes.begin(), writes.end());
  Status status;
  forEachOperand(instruction, [&](uint32_t slot) {
    if (status.isOk() &&
        !std::binary_search(writes.begin(), writes.end(), slot))
      status = read(slot, index);
  });
  for (uint32_t slot : writes)
    if (status.isOk())
      status = write(slot, index);
  return status;
}

/// The sender does not ask, so the bytes belong to the slot from the start, and
/// nobody has written them.
Status MemoryChecker::checkRecv(uint32_t index) {
  for (uint32_t used : *instructions.Get(index)->action_as_Recv()->slots()) {
    if (slot(used).first() != 0)
      return dataLoss(nameOf(used) + " is in use from instruction #" +
                      textOf(slot(used).first()) +
                      " on, but its bytes may arrive before");
    auto next = arena.upper_bound(slot(used).offset());
    if (next != arena.begin() &&
        std::prev(next)->second.end > slot(used).offset())
      --next;
    if (next != arena.end() && next->first < endOf(used)) {
      if (next->second.writer == kNone)
        return dataLoss(nameOf(used) + " is fed and received");
      return dataLoss(nameOf(used) + " is written by " +
                      at(next->second.writer) +
                      " while its bytes may arrive already");
    }
  }
  return Status::ok();
}

Status MemoryChecker::checkLifetime(uint32_t index, uint32_t used) {
  if (used == kNone || !isInArena(index) ||
      (slot(index).first() <= used && used <= slot(index).last()))
    return Status::ok();
  return dataLoss("it uses " + nameOf(index) + " outside of its lifetime, #" +
                  textOf(slot(index).first()) + " to #" +
                  textOf(slot(index).last()));
}

Status MemoryChecker::checkWait(uint32_t index, uint32_t earlier,
                                uint32_t used) {
  if (used == kNone || earlier == kNone || earlier == used ||
      isWaited[earlier] == used + 1)
    return Status::ok();
  return dataLoss("it does not wait for " + at(earlier) +
                  ", which uses the bytes of " + nameOf(index) + " before it");
}

/// Checks that what is made for an AllReduce only is read for it only.
Status MemoryChecker::checkServes(uint32_t index, uint32_t writer,
                                  uint32_t used) {
  uint32_t served = writer == kNone ? 0 : instructions[writer]->collective();
  if (served == 0 ||
      (used != kNone && (instructions[used]->collective() == served ||
                         allReduceOf(*instructions[used]) == served)))
    return Status::ok();
  return dataLoss("it reads " + nameOf(index) + ", which " + at(writer) +
                  " makes for AllReduce " + textOf(served) + " alone");
}

/// No piece goes on behind `place` afterwards that began before it.
Status MemoryChecker::split(uint64_t place) {
  auto next = arena.upper_bound(place);
  if (next == arena.begin())
    return Status::ok();
  auto piece = std::prev(next);
  if (piece->first == place || piece->second.end <= place)
    return Status::ok();
  GRAPHC_TRY(charge(piece->second.readers.size()));
  Piece tail = piece->second;
  piece->second.end = place;
  arena.emplace(place, std::move(tail));
  return Status::ok();
}

Status MemoryChecker::charge(uint64_t readers) {
  uint64_t count = 1 + readers / kReadersPerStep;
  if (count > steps)
    return dataLoss("its slots overlap in too many ways to be checked");
  steps -= count;
  return Status::ok();
}

Status MemoryChecker::read(uint32_t index, uint32_t used) {
  GRAPHC_TRY(checkLifetime(index, used));
  if (slot(index).kind() == format::SlotKind::Variable) {
    Piece &piece = variables[slot(index).index()];
    GRAPHC_TRY(checkWait(index, piece.writer, used));
    piece.readers.push_back(used);
    return Status::ok();
  }
  if (!isInArena(index) || slot(index).size() == 0)
    return Status::ok();
  uint64_t begin = slot(index).offset();
  if (used != kNone) {
    GRAPHC_TRY(split(begin));
    GRAPHC_TRY(split(endOf(index)));
  }
  auto piece = arena.upper_bound(begin);
  if (piece != arena.begin())
    --piece;
  for (uint64_t place = begin; place < endOf(index); ++piece) {
    if (piece == arena.end() || piece->first > place ||
        piece->second.end <= place || piece->second.owner != root[index])
      return dataLoss("it reads " + nameOf(index) +
                      ", which nothing has written before");
    GRAPHC_TRY(charge(piece->second.readers.size()));
    GRAPHC_TRY(checkWait(index, piece->second.writer, used));
    GRAPHC_TRY(checkServes(index, piece->second.writer, used));
    if (used != kNone)
      piece->second.readers.push_back(used);
    place = piece->second.end;
  }
  return Status::ok();
}

Status MemoryChecker::write(uint32_t index, uint32_t used) {
  GRAPHC_TRY(checkLifetime(index, used));
  auto overtakes = [&](const Piece &piece) -> Status {
    GRAPHC_TRY(checkWait(index, piece.writer, used));
    for (uint32_t reader : piece.readers)
      GRAPHC_TRY(checkWait(index, reader, used));
    return Status::ok();
  };
  if (slot(index).kind() == format::SlotKind::Variable) {
    Piece &piece = variables[slot(index).index()];
    GRAPHC_TRY(overtakes(piece));
    piece = {0, kNone, used};
    return Status::ok();
  }
  if (slot(index).size() == 0)
    return Status::ok();
  uint64_t begin = slot(index).offset();
  GRAPHC_TRY(split(begin));
  GRAPHC_TRY(split(endOf(index)));
  auto piece = arena.lower_bound(begin);
  while (piece != arena.end() && piece->first < endOf(index)) {
    GRAPHC_TRY(charge(piece->second.readers.size()));
    if (piece->second.writer == used)
      return dataLoss("it writes the bytes of " + nameOf(index) + " twice");
    GRAPHC_TRY(overtakes(piece->second));
    piece = arena.erase(piece);
  }
  arena.emplace(begin, Piece{endOf(index), root[index], used});
  return Status::ok();
}

} // namespace

Status checkMemory(const format::Graph &graph, uint32_t program) {
  return MemoryChecker(graph, program).check();
}

} // namespace graphc::runtime
