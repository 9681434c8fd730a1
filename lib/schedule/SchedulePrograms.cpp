// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns each graph of launches into a program over slots of memory:
//
//   %h = exec.launch @k(%x, %w)   ->   %h = exec.slot arena at 0 first 0 last 3
//                                      exec.dispatch @k(%x, %w, %h) writes [2]
//
// Instructions: copies of variables whose old value is needed to the end, then
// the launches and transfers in their order, then the assignments that could
// not be made in place. The partitions of one graph are scheduled together.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/frontend/Instances.h"
#include "lib/lowering/KernelAttrs.h"
#include "lib/schedule/Hazards.h"
#include "lib/schedule/Launches.h"
#include "lib/schedule/OrderStep.h"
#include "lib/schedule/PlanArena.h"
#include "lib/schedule/UpdatePart.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_SCHEDULEPROGRAMSPASS
#include "graphc/Passes.h.inc"

namespace {

/// Of graphs that nobody has placed.
constexpr StringLiteral kCpuDevice =
    "/job:localhost/replica:0/task:0/device:CPU:0";

/// Constants from here on are not stored if all their elements are equal.
constexpr int64_t kSmallestFill = 1024;

/// A place of a value, before its op exists.
struct Slot {
  exec::SlotKind kind;
  RankedTensorType type;
  std::string name;
  Location loc;
  StringRef variable;
  ElementsAttr value;
  int64_t range = -1;  ///< Arena: index of the live range
  int64_t replica = 0; ///< StepState: whose
};

/// One instruction, with slots by number.
struct Instruction {
  enum class Kind { Dispatch, Next, Copy, Fill, Send, Recv, Sleep, Fail } kind;
  Location loc;
  std::string name;
  SmallVector<unsigned> slots;        ///< Copy: source, target
  SmallVector<int64_t> writes;        ///< positions in `slots`
  StringRef symbol = {};              ///< kernel or dataset; Fail: text
  SmallVector<int64_t> edges = {};    ///< Send, Recv: by position
  SmallVector<int64_t> collectives{}; ///< Send: by position; may be empty
  int64_t number = 0; ///< Send, Recv: program; Next: shard; Sleep: milliseconds
  int64_t shards = 1; ///< Next
  ElementsAttr value = {}; ///< Fill: one element
};

/// The names of values that have been sent, by edge.
using SentNames = std::map<int64_t, std::string>;

/// Makes one program.
class Scheduler {
public:
  Scheduler(StepGraph &step, unsigned program, SentNames &sent)
      : graph(step.graphOf(program)), step(step), program(program), sent(sent) {
  }

  /// Feeds, and copies of old values. Before all others.
  void begin();
  void add(const StepItem &item);
  /// What is added from here on belongs to the update part.
  void beginUpdates() {
    if (!updatesFrom && !step.assignments(program).empty())
      updatesFrom = instructions.size();
  }
  /// Assignments and fetches. Behind all others.
  void end();
  size_t size() const { return instructions.size(); }
  exec::ProgramOp emit();

private:
  unsigned slotOf(Value value);
  unsigned endSlotOf(Value value);
  unsigned addArena(RankedTensorType type, StringRef name, Location loc);
  unsigned addView(unsigned slot, RankedTensorType type);
  unsigned variableSlot(StringRef variable, RankedTensorType type,
                        Location loc);
  unsigned stepStateSlot(int64_t replica, Location loc);
  void use(unsigned slot, int64_t at);
  void addCopy(unsigned source, unsigned target, Location loc, StringRef name);
  void stageOldValues();
  void addDispatch(exec::LaunchOp launch);
  void addNext(NextOp next);
  void addDebug(Operation *op);
  void addFill(ElementsAttr value, unsigned target, AssignOp assign);
  void addSend(ArrayRef<Operation *> sends);
  void addRecv(ArrayRef<Operation *> recvs);
  SmallVector<SmallVector<int64_t>> findWaits();
  Operation *create(OpBuilder &b, const Instruction &instruction,
                    ArrayRef<Value> slots, ArrayRef<int64_t> waits);

  /// A feed or a fetch: its name, its slot, its place among those of the graph.
  struct Port {
    StringRef name;
    unsigned slot;
    int64_t order;
  };
  std::vector<Port> portsOf(ArrayAttr names, StringRef orderName);

  GraphOp graph;
  StepGraph &step;
  unsigned program;
  SentNames &sent;
  std::vector<Slot> slots;
  std::vector<Instruction> instructions;
  SmallVector<LiveRange> ranges;
  DenseMap<Value, unsigned> places;
  DenseMap<Value, unsigned> staged; ///< old values that are needed at the end
  llvm::StringMap<unsigned> variables;
  std::map<int64_t, unsigned> stepStates; ///< by replica
  std::vector<Port> feeds, fetches;
  std::optional<int64_t> updatesFrom; ///< the first instruction of updates
};

std::string nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(kNameAttr);
  return name ? name.getValue().str() : "";
}

std::string nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto graph = cast<GraphOp>(argument.getOwner()->getParentOp());
    return cast<StringAttr>(graph.getFeedNames()[argument.getArgNumber()])
        .getValue()
        .str();
  }
  std::string text = nameOf(value.getDefiningOp());
  unsigned result = cast<OpResult>(value).getResultNumber();
  return result ? text + ":" + std::to_string(result) : text;
}

void Scheduler::use(unsigned slot, int64_t at) {
  if (slots[slot].range < 0)
    return;
  LiveRange &range = ranges[slots[slot].range];
  range.first = std::min(range.first, at);
  range.last = std::max(range.last, at);
}

unsigned Scheduler::addArena(RankedTensorType type, StringRef name,
                             Location loc) {
  Slot slot{exec::SlotKind::Arena, type, name.str(), loc, {}, {}, 0};
  slot.range = ranges.size();
  ranges.push_back(
      {exec::tensorBytes(type), std::numeric_limits<int64_t>::max(), -1});
  slots.push_back(slot);
  return slots.size() - 1;
}

/// The same bytes as another type.
unsigned Scheduler::addView(unsigned slot, RankedTensorType type) {
  if (slots[slot].type == type)
    return slot;
  for (unsigned i = 0; i < slots.size(); ++i)
    if (slots[i].type == type && slots[slot].range >= 0 &&
        slots[i].range == slots[slot].range)
      return i;
  Slot view = slots[slot];
  view.type = type;
  slots.push_back(view);
  return slots.size() - 1;
}

unsigned Scheduler::variableSlot(StringRef variable, RankedTensorType type,
                                 Location loc) {
  auto [it, isNew] = variables.try_emplace(variable, slots.size());
  if (isNew)
    slots.push_back({exec::SlotKind::Variable,
                     type,
                     variable.str(),
                     loc,
                     it->first(),
                     {},
                     -1});
  return it->second;
}

unsigned Scheduler::stepStateSlot(int64_t replica, Location loc) {
  auto [it, isNew] = stepStates.try_emplace(replica, slots.size());
  if (isNew) {
    auto words = RankedTensorType::get(
        {kStepStateWords}, IntegerType::get(graph.getContext(), 32));
    slots.push_back({exec::SlotKind::StepState,
                     words,
                     "step_state",
                     loc,
                     {},
                     {},
                     -1,
                     replica});
  }
  return it->second;
}

/// The slot of a value while instructions run.
unsigned Scheduler::slotOf(Value value) {
  Value storage = storageOf(value);
  if (auto it = places.find(storage); it != places.end())
    return it->second;
  RankedTensorType type = tensorType(storage);
  Location loc = storage.getLoc();
  unsigned slot;
  Operation *op = storage.getDefiningOp();
  if (auto read = dyn_cast_if_present<ReadOp>(op)) {
    slot = variableSlot(read.getVariable(), type, loc);
  } else if (auto constant = dyn_cast_if_present<ConstOp>(op)) {
    slots.push_back({exec::SlotKind::Constant,
                     type,
                     nameOf(storage),
                     loc,
                     {},
                     constant.getValue(),
                     -1});
    slot = slots.size() - 1;
  } else if (auto state = dyn_cast_if_present<StepStateOp>(op)) {
    slot = stepStateSlot(state.getReplica(), loc);
  } else if (const Assignment *assignment = step.inPlaceOf(storage)) {
    AssignOp assign = assignment->op;
    slot =
        variableSlot(assign.getVariable(), tensorType(assign.getValue()), loc);
  } else {
    slot = addArena(type, nameOf(storage), loc);
  }
  places[storage] = slot;
  return slot;
}

/// The slot that holds a value when all instructions have run, with its type.
unsigned Scheduler::endSlotOf(Value value) {
  unsigned slot = staged.count(storageOf(value))
                      ? staged.lookup(storageOf(value))
                      : slotOf(value);
  return addView(slot, tensorType(value));
}

void Scheduler::addCopy(unsigned source, unsigned target, Location loc,
                        StringRef name) {
  int64_t at = instructions.size();
  use(source, at);
  use(target, at);
  instructions.push_back(
      {Instruction::Kind::Copy, loc, name.str(), {source, target}, {1}});
}

/// Old values of variables that change, but that a fetch or an assignment reads
/// at the end, are kept aside; so are views of a variable, or of a constant,
/// that are fetched.
void Scheduler::stageOldValues() {
  llvm::StringSet<llvm::MallocAllocator> assigned;
  for (const Assignment &assignment : step.assignments(program))
    assigned.insert(AssignOp(assignment.op).getVariable());
  auto stage = [&](Value value, bool fetched) {
    Value storage = storageOf(value);
    auto read = storage.getDefiningOp<ReadOp>();
    bool changes = read && assigned.contains(read.getVariable());
    bool otherType = fetched && storage.getType() != value.getType() &&
                     slots[slotOf(storage)].range < 0;
    if ((!changes && !otherType) || staged.count(storage))
      return;
    unsigned slot =
        addArena(tensorType(storage), nameOf(storage), storage.getLoc());
    addCopy(slotOf(storage), slot, storage.getLoc(), nameOf(storage));
    staged[storage] = slot;
  };
  for (Value value : graph.getReturn().getValues())
    if (isa_and_present<ReadOp, ConstOp>(storageOf(value).getDefiningOp()))
      stage(value, /*fetched=*/true);
  for (const Assignment &assignment : step.assignments(program))
    stage(assignment.value, /*fetched=*/false);
}

void Scheduler::addDispatch(exec::LaunchOp launch) {
  func::FuncOp kernel = step.kernelOf(launch);
  Instruction instruction{Instruction::Kind::Dispatch,
                          launch.getLoc(),
                          nameOf(launch.getResult(0)),
                          {},
                          {},
                          launch.getKernel()};
  for (Value operand : launch->getOperands())
    instruction.slots.push_back(slotOf(operand));
  for (OpResult result : launch->getResults()) {
    auto over = kernel.getResultAttrOfType<IntegerAttr>(
        result.getResultNumber(), kInPlace);
    if (over) {
      instruction.writes.push_back(over.getInt());
      places[result] = instruction.slots[over.getInt()];
      continue;
    }
    instruction.writes.push_back(instruction.slots.size());
    instruction.slots.push_back(slotOf(result));
  }
  for (unsigned slot : instruction.slots)
    use(slot, instructions.size());
  instructions.push_back(instruction);
}

void Scheduler::addNext(NextOp next) {
  Instruction instruction{
      Instruction::Kind::Next, next.getLoc(), next.getDataset().str(), {}, {},
      next.getDataset()};
  instruction.number = next.getShard();
  instruction.shards = next.getShards();
  for (OpResult result : next->getResults()) {
    instruction.writes.push_back(instruction.slots.size());
    instruction.slots.push_back(slotOf(result));
    use(instruction.slots.back(), instructions.size());
  }
  instructions.push_back(instruction);
}

/// The instruction, and then the value goes on.
void Scheduler::addDebug(Operation *op) {
  unsigned source = slotOf(op->getOperand(0));
  unsigned target = slotOf(op->getResult(0));
  // As if it made the value, so that the copy waits for it.
  Instruction instruction{Instruction::Kind::Sleep,
                          op->getLoc(),
                          nameOf(op),
                          {source, target},
                          {1}};
  if (auto sleep = dyn_cast<DebugSleepOp>(op)) {
    instruction.number = sleep.getMilliseconds();
  } else {
    instruction.kind = Instruction::Kind::Fail;
    instruction.symbol = cast<DebugFailOp>(op).getText();
  }
  for (unsigned slot : instruction.slots)
    use(slot, instructions.size());
  instructions.push_back(instruction);
  addCopy(source, target, op->getLoc(), nameOf(op));
}

void Scheduler::addSend(ArrayRef<Operation *> sends) {
  Instruction instruction{
      Instruction::Kind::Send, sends[0]->getLoc(), nameOf(sends[0]), {}, {}};
  for (Operation *op : sends) {
    auto send = cast<SendOp>(op);
    RankedTensorType type = tensorType(send.getValue());
    unsigned slot = slotOf(send.getValue());
    // Both ends of an edge have one type, and a variable only its own.
    if (slots[slot].type != type && slots[slot].range < 0) {
      unsigned copy = addArena(type, nameOf(send.getValue()), op->getLoc());
      addCopy(slot, copy, op->getLoc(), nameOf(send.getValue()));
      slot = copy;
    }
    instruction.slots.push_back(addView(slot, type));
    instruction.edges.push_back(send.getEdge());
    sent[send.getEdge()] = slots[slot].name;
    auto collective = op->getAttrOfType<IntegerAttr>(kCollectiveAttr);
    instruction.collectives.push_back(collective ? collective.getInt() + 1 : 0);
    instruction.number = send.getTo();
  }
  if (llvm::all_of(instruction.collectives, [](int64_t n) { return n == 0; }))
    instruction.collectives.clear();
  for (unsigned slot : instruction.slots)
    use(slot, instructions.size());
  instructions.push_back(instruction);
}

void Scheduler::addRecv(ArrayRef<Operation *> recvs) {
  Instruction instruction{
      Instruction::Kind::Recv, recvs[0]->getLoc(), nameOf(recvs[0]), {}, {}};
  for (Operation *op : recvs) {
    auto recv = cast<RecvOp>(op);
    instruction.writes.push_back(instruction.slots.size());
    instruction.slots.push_back(slotOf(recv.getValue()));
    // A value has one name, wherever it is.
    slots[instruction.slots.back()].name = sent[recv.getEdge()];
    instruction.edges.push_back(recv.getEdge());
    instruction.number = recv.getFrom();
    // The sender does not ask whether the place is free.
    use(instruction.slots.back(), 0);
    use(instruction.slots.back(), instructions.size());
  }
  instructions.push_back(instruction);
}

void Scheduler::add(const StepItem &item) {
  Operation *op = item.ops[0];
  if (auto launch = dyn_cast<exec::LaunchOp>(op))
    addDispatch(launch);
  else if (auto next = dyn_cast<NextOp>(op))
    addNext(next);
  else if (isa<DebugSleepOp, DebugFailOp>(op))
    addDebug(op);
  else if (isa<SendOp>(op))
    addSend(item.ops);
  else
    addRecv(item.ops);
}

SmallVector<SmallVector<int64_t>> Scheduler::findWaits() {
  Hazards arena;
  std::map<unsigned, Hazards> others;
  SmallVector<SmallVector<int64_t>> all;
  for (auto [at, instruction] : llvm::enumerate(instructions)) {
    std::set<int64_t> waits;
    for (auto [position, number] : llvm::enumerate(instruction.slots)) {
      const Slot &slot = slots[number];
      bool writes = llvm::is_contained(instruction.writes,
                                       static_cast<int64_t>(position));
      if (slot.range >= 0) {
        const LiveRange &range = ranges[slot.range];
        arena.use(range.offset,
                  range.offset + std::max<int64_t>(range.bytes, 1), at, writes,
                  waits);
      } else {
        others[number].use(0, 1, at, writes, waits);
      }
    }
    all.emplace_back(waits.begin(), waits.end());
  }
  return all;
}

/// Ports without slots.
std::vector<Scheduler::Port> Scheduler::portsOf(ArrayAttr names,
                                                StringRef orderName) {
  auto order = graph->getAttrOfType<DenseI64ArrayAttr>(orderName);
  std::vector<Port> ports;
  for (auto [i, name] : llvm::enumerate(names.getAsRange<StringAttr>()))
    ports.push_back({name.getValue(), 0,
                     order && i < static_cast<size_t>(order.size())
                         ? order[i]
                         : int64_t(i)});
  return ports;
}

void Scheduler::begin() {
  feeds = portsOf(graph.getFeedNames(), kFeedOrderAttr);
  for (auto [feed, argument] :
       llvm::zip(feeds, graph.getBlock().getArguments())) {
    feed.slot = slotOf(argument);
    use(feed.slot, 0);
  }
  stageOldValues();
}

/// The same number everywhere needs no constant of its size.
void Scheduler::addFill(ElementsAttr value, unsigned target, AssignOp assign) {
  instructions.push_back({Instruction::Kind::Fill,
                          assign.getLoc(),
                          assign.getVariable().str(),
                          {target},
                          {0}});
  auto scalar = RankedTensorType::get(
      {}, cast<ShapedType>(value.getType()).getElementType());
  instructions.back().value =
      DenseElementsAttr::get(scalar, value.getSplatValue<Attribute>());
}

void Scheduler::end() {
  for (const Assignment &assignment : step.assignments(program)) {
    if (assignment.inPlace)
      continue;
    AssignOp assign = assignment.op;
    unsigned target = variableSlot(
        assign.getVariable(), tensorType(assign.getValue()), assign.getLoc());
    if (auto constant = assignment.value.getDefiningOp<ConstOp>();
        constant && constant.getValue().isSplat() &&
        exec::tensorBytes(tensorType(constant)) >= kSmallestFill) {
      addFill(constant.getValue(), target, assign);
      continue;
    }
    unsigned source = staged.count(assignment.value)
                          ? staged.lookup(assignment.value)
                          : slotOf(assignment.value);
    addCopy(source, target, assign.getLoc(), assign.getVariable());
  }
  fetches = portsOf(graph.getFetchNames(), kFetchOrderAttr);
  for (auto [fetch, value] :
       llvm::zip(fetches, graph.getReturn().getValues())) {
    fetch.slot = endSlotOf(value);
    use(fetch.slot, instructions.size());
  }
}

Operation *Scheduler::create(OpBuilder &b, const Instruction &instruction,
                             ArrayRef<Value> slots, ArrayRef<int64_t> waits) {
  using Kind = Instruction::Kind;
  Location loc = instruction.loc;
  switch (instruction.kind) {
  case Kind::Copy:
    return exec::CopyOp::create(b, loc, slots[0], slots[1], waits);
  case Kind::Next:
    return exec::NextOp::create(b, loc, instruction.symbol, slots, waits,
                                instruction.number, instruction.shards);
  case Kind::Dispatch:
    return exec::DispatchOp::create(b, loc, instruction.symbol, slots,
                                    instruction.writes, waits);
  case Kind::Fill:
    return exec::FillOp::create(b, loc, slots[0], instruction.value, waits);
  case Kind::Sleep:
    return exec::SleepOp::create(b, loc, instruction.number, waits);
  case Kind::Fail:
    return exec::FailOp::create(b, loc, instruction.symbol, waits);
  case Kind::Send:
    return exec::SendOp::create(
        b, loc, instruction.edges, slots, instruction.number,
        instruction.collectives.empty()
            ? DenseI64ArrayAttr()
            : b.getDenseI64ArrayAttr(instruction.collectives),
        waits);
  case Kind::Recv:
    return exec::RecvOp::create(b, loc, instruction.edges, slots,
                                instruction.number, waits);
  }
  llvm_unreachable("unknown kind of instruction");
}

exec::ProgramOp Scheduler::emit() {
  ArenaPlan plan = planArena(ranges);
  SmallVector<SmallVector<int64_t>> waits = findWaits();
  OpBuilder b(graph);
  auto device = graph->getAttrOfType<StringAttr>(kDeviceAttr);
  auto whole = graph->getAttrOfType<StringAttr>(kPartitionOfAttr);
  auto op = exec::ProgramOp::create(
      b, graph.getLoc(), graph.getSymName(),
      whole ? whole.getValue() : graph.getSymName(),
      device ? device.getValue() : StringRef(kCpuDevice), plan.bytes,
      plan.live);
  if (updatesFrom)
    op->setAttr(exec::kUpdatesFromAttr, b.getI64IntegerAttr(*updatesFrom));
  b.setInsertionPointToStart(&op.getBody().emplaceBlock());
  auto number = [&](int64_t value) { return b.getI64IntegerAttr(value); };
  SmallVector<Value> values;
  for (const Slot &slot : slots) {
    bool isArena = slot.range >= 0;
    LiveRange range = isArena ? ranges[slot.range] : LiveRange{};
    auto created = exec::SlotOp::create(
        b, slot.loc, exec::SlotType::get(b.getContext(), slot.type), slot.kind,
        slot.variable.empty()
            ? FlatSymbolRefAttr()
            : FlatSymbolRefAttr::get(b.getContext(), slot.variable),
        isArena ? number(range.offset) : IntegerAttr(),
        isArena ? number(range.first) : IntegerAttr(),
        isArena ? number(range.last) : IntegerAttr(),
        slot.replica ? number(slot.replica) : IntegerAttr(), slot.value);
    created->setAttr(kNameAttr, b.getStringAttr(slot.name));
    values.push_back(created);
  }
  for (const Port &feed : feeds)
    exec::FeedOp::create(b, graph.getLoc(), feed.name, values[feed.slot],
                         feed.order);
  for (auto [instruction, wait] : llvm::zip(instructions, waits)) {
    SmallVector<Value> operands;
    for (unsigned slot : instruction.slots)
      operands.push_back(values[slot]);
    create(b, instruction, operands, wait)
        ->setAttr(kNameAttr, b.getStringAttr(instruction.name));
  }
  for (const Port &fetch : fetches)
    exec::FetchOp::create(b, graph.getLoc(), fetch.name, values[fetch.slot],
                          fetch.order);
  return op;
}

/// Replaces the partitions of one graph by programs.
LogicalResult schedule(ArrayRef<GraphOp> partitions, ModuleOp kernels) {
  StepGraph step(partitions, kernels);
  if (failed(step.build()))
    return failure();
  FailureOr<std::vector<StepItem>> items = orderStep(step);
  if (failed(items))
    return failure();
  bool hasUpdateParts = isCoordinated(partitions.front());
  llvm::DenseSet<Operation *> updates;
  if (hasUpdateParts) {
    updates = findUpdateParts(step);
    moveUpdatesToEnd(updates, *items);
  }
  SentNames sent;
  std::vector<Scheduler> programs;
  for (unsigned i = 0; i < partitions.size(); ++i)
    programs.emplace_back(step, i, sent);
  SmallVector<int64_t> order;
  auto note = [&](unsigned program, size_t before) {
    order.append(programs[program].size() - before, program);
  };
  for (unsigned i = 0; i < partitions.size(); ++i) {
    programs[i].begin();
    note(i, 0);
  }
  for (const StepItem &item : *items) {
    size_t before = programs[item.program].size();
    if (updates.contains(item.ops.front()))
      programs[item.program].beginUpdates();
    programs[item.program].add(item);
    note(item.program, before);
  }
  for (unsigned i = 0; i < partitions.size(); ++i) {
    size_t before = programs[i].size();
    if (hasUpdateParts)
      programs[i].beginUpdates();
    programs[i].end();
    note(i, before);
  }
  for (unsigned i = 0; i < partitions.size(); ++i) {
    exec::ProgramOp program = programs[i].emit();
    if (i)
      continue;
    Builder b(kernels.getContext());
    if (partitions.size() > 1)
      program->setAttr(exec::kOrderAttr, b.getDenseI64ArrayAttr(order));
    if (auto replicas =
            partitions[0]->getAttrOfType<IntegerAttr>(tfir::kReplicasAttr);
        replicas && replicas.getInt() > 1)
      program->setAttr(exec::kReplicasAttr, replicas);
    if (DictionaryAttr instance = instanceOf(partitions[0]))
      program->setAttr(kInstanceAttr, instance);
  }
  for (GraphOp partition : partitions)
    partition.erase();
  return success();
}

struct ScheduleProgramsPass
    : impl::ScheduleProgramsPassBase<ScheduleProgramsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = module.lookupSymbol<ModuleOp>(kKernelsModule);
    if (!kernels) { // nothing is computed
      OpBuilder b(module.getBody(), module.getBody()->end());
      kernels = ModuleOp::create(b, module.getLoc(), kKernelsModule);
    }
    // The partitions of a graph, in the order of their first.
    llvm::MapVector<Attribute, SmallVector<GraphOp>> graphs;
    for (GraphOp graph : module.getOps<GraphOp>()) {
      Attribute whole = graph->getAttr(kPartitionOfAttr);
      graphs[whole ? whole : graph.getSymNameAttr()].push_back(graph);
    }
    for (auto &[name, partitions] : graphs)
      if (failed(schedule(partitions, kernels)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace graphc
