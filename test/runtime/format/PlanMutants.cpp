// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/format/PlanMutants.h"

#include "test/runtime/format/PlanEdits.h"

#include <algorithm>

namespace graphc::test {

namespace {

using Text = std::optional<std::string>;

/// An instruction.
struct Place {
  uint32_t program, index;
};

/// A position of a frame.
struct Item {
  Place at;
  size_t position;
};

class Mutator {
public:
  Mutator(ModelBuilder &model, GraphSpec &graph, std::mt19937 &random)
      : model(model), graph(graph), random(random) {}

  Text dropTransfer();
  Text dropFromFrame();
  Text duplicateTransfer();
  Text swapEdges();
  Text swapSlots();
  Text changeShape();
  Text changeType();
  Text changeSize();
  Text changeTarget();
  Text changeSource();
  Text changeEdge();
  Text changeSlot();
  Text swapDependent();
  Text swapDependentWithoutWait();
  Text dropWait();
  Text dropOrderEntry();
  Text repeatOrderEntry();
  Text changeOrderEntry();
  Text receiveEarly();
  Text sendTooLate();
  Text meetInOtherOrder();
  Text landLate();
  Text landOnOther();
  Text addWriter();
  Text changeShard();
  Text dropShard();
  Text changeReplica();
  Text changeMirror();
  Text dropMirrorUpdate();
  Text feedReceived();

private:
  ProgramSpec &program(const Place &at) { return graph.program(at.program); }
  InstructionSpec &instruction(const Place &at) {
    return program(at).instructions[at.index];
  }
  /// The edges or the slots of a frame.
  std::vector<uint32_t> *edgesOf(const Place &at);
  std::vector<uint32_t> &slotsOf(const Place &at);
  uint32_t &edge(const Item &item) {
    return (*edgesOf(item.at))[item.position];
  }
  uint32_t &slotIndex(const Item &item) {
    return slotsOf(item.at)[item.position];
  }
  SlotSpec &slot(const Item &item) {
    return program(item.at).slots[slotIndex(item)];
  }

  template <typename T> const T *pick(const std::vector<T> &list) {
    return list.empty() ? nullptr : &list[random() % list.size()];
  }
  std::vector<Place> instructions();
  /// All positions of sends, of receives, or of both.
  std::vector<Item> items(bool sends, bool recvs);
  /// Two positions of one program and direction with different values.
  std::optional<std::pair<Item, Item>> pickPair();
  std::optional<Place> pickDependent();

  std::string text(const Place &at) {
    return "#" + std::to_string(at.index) + " of program " +
           std::to_string(at.program);
  }

  ModelBuilder &model;
  GraphSpec &graph;
  std::mt19937 &random;
};

std::vector<uint32_t> *Mutator::edgesOf(const Place &at) {
  if (auto *send = std::get_if<SendSpec>(&instruction(at).action))
    return &send->edges;
  if (auto *recv = std::get_if<RecvSpec>(&instruction(at).action))
    return &recv->edges;
  return nullptr;
}

std::vector<uint32_t> &Mutator::slotsOf(const Place &at) {
  if (auto *send = std::get_if<SendSpec>(&instruction(at).action))
    return send->slots;
  return std::get<RecvSpec>(instruction(at).action).slots;
}

std::vector<Place> Mutator::instructions() {
  std::vector<Place> places;
  for (uint32_t p = 0; p < graph.programCount(); ++p)
    for (uint32_t i = 0; i < graph.program(p).instructions.size(); ++i)
      places.push_back({p, i});
  return places;
}

std::vector<Item> Mutator::items(bool sends, bool recvs) {
  std::vector<Item> found;
  for (const Place &at : instructions()) {
    bool isSend = std::holds_alternative<SendSpec>(instruction(at).action);
    if (auto *edges = edgesOf(at); edges && (isSend ? sends : recvs))
      for (size_t i = 0; i < edges->size(); ++i)
        found.push_back({at, i});
  }
  return found;
}

std::optional<std::pair<Item, Item>> Mutator::pickPair() {
  bool sends = random() % 2;
  auto all = items(sends, !sends);
  const Item *first = pick(all);
  if (!first)
    return std::nullopt;
  std::vector<Item> others;
  for (const Item &item : all)
    if (item.at.program == first->at.program &&
        slot(item).name != slot(*first).name)
      others.push_back(item);
  const Item *second = pick(others);
  if (!second)
    return std::nullopt;
  return std::pair(*first, *second);
}

Text Mutator::dropTransfer() {
  auto all = items(true, true);
  const Item *item = pick(all);
  if (!item)
    return std::nullopt;
  Place at = item->at;
  removeInstruction(graph, at.program, at.index);
  return "drops " + text(at);
}

Text Mutator::dropFromFrame() {
  std::vector<Item> several;
  for (const Item &item : items(true, true))
    if (edgesOf(item.at)->size() > 1)
      several.push_back(item);
  const Item *item = pick(several);
  if (!item)
    return std::nullopt;
  auto &edges = *edgesOf(item->at), &slots = slotsOf(item->at);
  edges.erase(edges.begin() + ptrdiff_t(item->position));
  slots.erase(slots.begin() + ptrdiff_t(item->position));
  return "drops one edge of " + text(item->at);
}

Text Mutator::duplicateTransfer() {
  auto all = items(true, true);
  const Item *item = pick(all);
  if (!item)
    return std::nullopt;
  Place at = item->at;
  insertInstruction(graph, at.program, at.index + 1, instruction(at));
  return "repeats " + text(at);
}

Text Mutator::swapEdges() {
  auto pair = pickPair();
  if (!pair)
    return std::nullopt;
  std::swap(edge(pair->first), edge(pair->second));
  return "swaps edges of " + text(pair->first.at) + " and " +
         text(pair->second.at);
}

Text Mutator::swapSlots() {
  auto pair = pickPair();
  if (!pair)
    return std::nullopt;
  std::swap(slotIndex(pair->first), slotIndex(pair->second));
  return "swaps slots of " + text(pair->first.at) + " and " +
         text(pair->second.at);
}

Text Mutator::changeShape() {
  auto all = items(true, true);
  const Item *item = pick(all);
  if (!item)
    return std::nullopt;
  slot(*item).type.shape.push_back(1);
  return "changes the shape at " + text(item->at);
}

Text Mutator::changeType() {
  std::vector<Item> found;
  for (const Item &item : items(true, true))
    if (slot(item).type.dtype == DType::Float32)
      found.push_back(item);
  const Item *item = pick(found);
  if (!item)
    return std::nullopt;
  slot(*item).type.dtype = DType::Int32;
  return "changes the element type at " + text(item->at);
}

Text Mutator::changeSize() {
  EdgeSpec *found = const_cast<EdgeSpec *>(pick(graph.edges));
  if (!found)
    return std::nullopt;
  found->size += random() % 2 ? 4 : -4;
  return "changes the size of an edge";
}

Text Mutator::changeTarget() {
  EdgeSpec *found = const_cast<EdgeSpec *>(pick(graph.edges));
  if (!found)
    return std::nullopt;
  found->target = (found->target + 1 + random() % (graph.programCount() - 1)) %
                  graph.programCount();
  return "changes the target of an edge";
}

Text Mutator::changeSource() {
  EdgeSpec *found = const_cast<EdgeSpec *>(pick(graph.edges));
  if (!found)
    return std::nullopt;
  found->source = (found->source + 1 + random() % graph.programCount()) %
                  (graph.programCount() + 1);
  return "changes the source of an edge";
}

Text Mutator::changeEdge() {
  auto all = items(true, true);
  const Item *item = pick(all);
  if (!item)
    return std::nullopt;
  edge(*item) = (edge(*item) + 1 + random() % graph.edges.size()) %
                (graph.edges.size() + 1);
  return "changes an edge of " + text(item->at);
}

Text Mutator::changeSlot() {
  auto all = items(true, true);
  const Item *item = pick(all);
  if (!item)
    return std::nullopt;
  std::vector<uint32_t> others;
  const auto &slots = program(item->at).slots;
  for (uint32_t i = 0; i < slots.size(); ++i)
    if (slots[i].type == slot(*item).type && slots[i].name != slot(*item).name)
      others.push_back(i);
  const uint32_t *other = pick(others);
  if (!other)
    return std::nullopt;
  slotIndex(*item) = *other;
  return "changes a slot of " + text(item->at);
}

/// An instruction that must wait for the one before it.
std::optional<Place> Mutator::pickDependent() {
  std::vector<Place> found;
  for (uint32_t p = 0; p < graph.programCount(); ++p) {
    ProgramSpec needed = graph.program(p);
    for (InstructionSpec &each : needed.instructions)
      each.waits.clear();
    needed.addWaits();
    for (uint32_t i = 1; i < needed.instructions.size(); ++i) {
      const auto &waits = needed.instructions[i].waits;
      if (std::find(waits.begin(), waits.end(), i - 1) != waits.end())
        found.push_back({p, i});
    }
  }
  const Place *place = pick(found);
  return place ? std::optional(*place) : std::nullopt;
}

Text Mutator::swapDependent() {
  auto at = pickDependent();
  if (!at)
    return std::nullopt;
  moveInstruction(graph, at->program, at->index, at->index - 1);
  return "moves " + text(*at) + " before what it waits for";
}

Text Mutator::swapDependentWithoutWait() {
  auto at = pickDependent();
  if (!at)
    return std::nullopt;
  auto &waits = instruction(*at).waits;
  waits.erase(std::remove(waits.begin(), waits.end(), at->index - 1),
              waits.end());
  moveInstruction(graph, at->program, at->index, at->index - 1);
  return "moves " + text(*at) + " before what it should wait for";
}

Text Mutator::dropWait() {
  std::vector<Item> found; // position: the instruction that is waited for
  for (uint32_t p = 0; p < graph.programCount(); ++p) {
    ProgramSpec needed = graph.program(p);
    for (InstructionSpec &each : needed.instructions)
      each.waits.clear();
    needed.addWaits();
    for (uint32_t i = 0; i < needed.instructions.size(); ++i)
      for (uint32_t wait : needed.instructions[i].waits)
        found.push_back({{p, i}, wait});
  }
  const Item *item = pick(found);
  if (!item)
    return std::nullopt;
  auto &waits = instruction(item->at).waits;
  waits.erase(std::remove(waits.begin(), waits.end(), item->position),
              waits.end());
  return text(item->at) + " does not wait for #" +
         std::to_string(item->position);
}

Text Mutator::dropOrderEntry() {
  auto &order = *graph.order;
  order.erase(order.begin() + ptrdiff_t(random() % order.size()));
  return "drops an entry of the order";
}

Text Mutator::repeatOrderEntry() {
  auto &order = *graph.order;
  size_t entry = random() % order.size();
  order.insert(order.begin() + ptrdiff_t(entry), order[entry]);
  return "repeats an entry of the order";
}

Text Mutator::changeOrderEntry() {
  uint32_t &entry = (*graph.order)[random() % graph.order->size()];
  entry = (entry + 1 + random() % graph.programCount()) %
          (graph.programCount() + 1);
  return "changes an entry of the order";
}

/// The order runs a Recv, and what is before it, before its Send.
Text Mutator::receiveEarly() {
  auto recvs = items(false, true);
  const Item *recv = pick(recvs);
  if (!recv)
    return std::nullopt;
  for (const Item &send : items(true, false)) {
    if (edge(send) != edge(*recv))
      continue;
    size_t from = orderEntry(graph, send.at.program, send.at.index);
    size_t to = orderEntry(graph, recv->at.program, recv->at.index);
    auto begin = graph.order->begin() + ptrdiff_t(from);
    uint32_t mover = recv->at.program;
    std::stable_partition(begin, graph.order->begin() + ptrdiff_t(to) + 1,
                          [&](uint32_t p) { return p == mover; });
    return "the order receives at " + text(recv->at) + " before it sends";
  }
  return std::nullopt;
}

/// A Send goes after a Recv that cannot come before it.
Text Mutator::sendTooLate() {
  auto sends = items(true, false);
  const Item *send = pick(sends);
  if (!send)
    return std::nullopt;
  GraphSpec before = graph;
  uint32_t count = program(send->at).instructions.size();
  for (uint32_t to = send->at.index + 1; to < count; ++to) {
    moveInstruction(graph, send->at.program, send->at.index, to);
    if (!canRun(graph))
      return "sends " + text(send->at) + " at #" + std::to_string(to) +
             ", too late";
    graph = before;
  }
  return std::nullopt;
}

/// Two collectives begin in one program in another order than elsewhere, in a
/// plan that is otherwise right.
Text Mutator::meetInOtherOrder() {
  uint32_t p = random() % graph.programCount();
  std::map<uint32_t, uint32_t> firsts; // instruction by collective
  for (const Item &item : items(true, true))
    if (item.at.program == p && graph.edges[edge(item)].collective != 0)
      firsts.try_emplace(graph.edges[edge(item)].collective, item.at.index);
  std::vector<std::pair<uint32_t, uint32_t>> pairs; // from, to
  for (auto [a, from] : firsts)
    for (auto [b, to] : firsts)
      if (to < from)
        pairs.push_back({from, to});
  const auto *pair = pick(pairs);
  if (!pair)
    return std::nullopt;
  const InstructionSpec &moved = graph.program(p).instructions[pair->first];
  for (uint32_t wait : moved.waits)
    if (wait >= pair->second)
      return std::nullopt;
  moveInstruction(graph, p, pair->first, pair->second);
  if (!canRun(graph))
    return std::nullopt;
  return "meets the collective of " + text({p, pair->first}) + " early";
}

Text Mutator::landLate() {
  std::vector<Item> found;
  for (const Item &item : items(false, true))
    if (*slot(item).last > 0)
      found.push_back(item);
  const Item *item = pick(found);
  if (!item)
    return std::nullopt;
  slot(*item).first = 1 + random() % *slot(*item).last;
  return "keeps no place for " + text(item->at) + " from the start";
}

Text Mutator::landOnOther() {
  std::vector<std::pair<Item, uint64_t>> found;
  for (const Item &item : items(false, true))
    for (const SlotSpec &other : program(item.at).slots) {
      const SlotSpec &mine = slot(item);
      bool isApart = *other.last < *mine.first || *mine.last < *other.first;
      bool isView = *other.first == *mine.first && *other.last == *mine.last;
      if (other.kind == format::SlotKind::Arena && !isApart && !isView &&
          other.size > 0 && mine.size > 0 && other.offset != mine.offset &&
          other.offset + mine.size <= program(item.at).arenaBytes)
        found.push_back({item, other.offset});
    }
  const auto *pair = pick(found);
  if (!pair)
    return std::nullopt;
  slot(pair->first).offset = pair->second;
  return "lands " + text(pair->first.at) + " on another value";
}

Text Mutator::addWriter() {
  std::vector<std::pair<uint32_t, SlotSpec>> written; // by program
  for (const Place &at : instructions())
    for (uint32_t index : usesOf(instruction(at)).writes)
      if (program(at).slots[index].kind == format::SlotKind::Variable)
        written.push_back({at.program, program(at).slots[index]});
  const auto *use = pick(written);
  if (!use)
    return std::nullopt;
  uint32_t other = (use->first + 1 + random() % (graph.programCount() - 1)) %
                   graph.programCount();
  model.variables[use->second.index].device.clear();
  ProgramSpec &target = graph.program(other);
  target.slots.push_back(use->second);
  target.addFill(target.slots.size() - 1, {0});
  graph.order->push_back(other);
  return "program " + std::to_string(other) + " writes '" + use->second.name +
         "', too";
}

Text Mutator::changeShard() {
  std::vector<HostCallSpec *> calls;
  for (const Place &at : instructions())
    if (auto *call = std::get_if<HostCallSpec>(&instruction(at).action);
        call && call->function == format::HostFunction::NextBatch)
      calls.push_back(call);
  HostCallSpec *const *call = pick(calls);
  if (!call)
    return std::nullopt;
  (*call)->shard =
      ((*call)->shard + 1 + random() % (*call)->shards) % ((*call)->shards + 1);
  return "takes another shard";
}

Text Mutator::dropShard() {
  std::vector<Place> calls;
  for (const Place &at : instructions())
    if (auto *call = std::get_if<HostCallSpec>(&instruction(at).action);
        call && call->function == format::HostFunction::NextBatch)
      calls.push_back(at);
  const Place *at = pick(calls);
  if (!at || calls.size() < 2)
    return std::nullopt;
  removeInstruction(graph, at->program, at->index);
  return "takes no batch at " + text(*at);
}

Text Mutator::changeReplica() {
  std::vector<SlotSpec *> states;
  for (uint32_t p = 0; p < graph.programCount(); ++p)
    for (SlotSpec &slot : graph.program(p).slots)
      if (slot.kind == format::SlotKind::StepState)
        states.push_back(&slot);
  SlotSpec *const *state = pick(states);
  if (!state)
    return std::nullopt;
  (*state)->index = graph.replicas + random() % 3;
  return "names a replica that does not exist";
}

Text Mutator::changeMirror() {
  std::vector<VariableSpec *> mirrors;
  for (VariableSpec &variable : model.variables)
    if (variable.mirrorOf)
      mirrors.push_back(&variable);
  VariableSpec *const *mirror = pick(mirrors);
  if (!mirror)
    return std::nullopt;
  // A mirror of itself, of nothing, or on the device of its original.
  switch (random() % 3) {
  case 0:
    (*mirror)->mirrorOf = *mirror - model.variables.data();
    return "mirrors itself";
  case 1:
    (*mirror)->mirrorOf = model.variables.size();
    return "mirrors nothing";
  default:
    (*mirror)->device = model.variables[*(*mirror)->mirrorOf].device;
    return "mirrors on one device";
  }
}

Text Mutator::dropMirrorUpdate() {
  std::vector<Place> found;
  for (const Place &at : instructions())
    for (uint32_t index : usesOf(instruction(at)).writes) {
      const SlotSpec &slot = program(at).slots[index];
      if (slot.kind == format::SlotKind::Variable &&
          model.variables[slot.index].mirrorOf)
        found.push_back(at);
    }
  const Place *at = pick(found);
  if (!at)
    return std::nullopt;
  removeInstruction(graph, at->program, at->index);
  return "does not update the mirror at " + text(*at);
}

Text Mutator::feedReceived() {
  auto recvs = items(false, true);
  const Item *item = pick(recvs);
  if (!item)
    return std::nullopt;
  graph.addFeed("one too many", slotIndex(*item), item->at.program);
  return "feeds what " + text(item->at) + " receives";
}

using Mutation = Text (Mutator::*)();
constexpr Mutation kMutations[] = {
    &Mutator::dropTransfer,      &Mutator::dropFromFrame,
    &Mutator::duplicateTransfer, &Mutator::swapEdges,
    &Mutator::swapSlots,         &Mutator::changeShape,
    &Mutator::changeType,        &Mutator::changeSize,
    &Mutator::changeTarget,      &Mutator::changeSource,
    &Mutator::changeEdge,        &Mutator::changeSlot,
    &Mutator::swapDependent,     &Mutator::swapDependentWithoutWait,
    &Mutator::dropWait,          &Mutator::dropOrderEntry,
    &Mutator::repeatOrderEntry,  &Mutator::changeOrderEntry,
    &Mutator::receiveEarly,      &Mutator::sendTooLate,
    &Mutator::meetInOtherOrder,  &Mutator::landLate,
    &Mutator::landOnOther,       &Mutator::addWriter,
    &Mutator::changeShard,       &Mutator::dropShard,
    &Mutator::changeReplica,     &Mutator::changeMirror,
    &Mutator::dropMirrorUpdate,  &Mutator::feedReceived,
};

} // namespace

size_t mutationCount() { return std::size(kMutations); }

std::optional<std::string> mutate(ModelBuilder &model, size_t kind,
                                  std::mt19937 &random) {
  std::vector<GraphSpec *> graphs;
  for (GraphSpec &graph : model.graphs)
    if (graph.programCount() > 1)
      graphs.push_back(&graph);
  if (graphs.empty())
    return std::nullopt;
  Mutator mutator(model, *graphs[random() % graphs.size()], random);
  return (mutator.*kMutations[kind])();
}

} // namespace graphc::test
