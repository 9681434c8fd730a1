// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns each graph of launches into a program over slots of memory:
//
//   %h = exec.launch @k(%x, %w)   ->   %h = exec.slot arena at 0 first 0 last 3
//                                      exec.dispatch @k(%x, %w, %h) writes [2]
//
// Instructions: copies of variables whose old value is needed to the end, then
// the launches in their order, then the assignments that could not be made in
// place.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/lowering/KernelAttrs.h"
#include "lib/schedule/Hazards.h"
#include "lib/schedule/Launches.h"
#include "lib/schedule/PlanArena.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_SCHEDULEPROGRAMSPASS
#include "graphc/Passes.h.inc"

namespace {

constexpr StringLiteral kCpuDevice =
    "/job:localhost/replica:0/task:0/device:CPU:0";

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
  enum class Kind { Dispatch, Next, Copy } kind;
  Location loc;
  std::string name;
  SmallVector<unsigned> slots; ///< Copy: source, target
  SmallVector<int64_t> writes; ///< positions in `slots`
  StringRef symbol;            ///< kernel or dataset
};

class Scheduler {
public:
  Scheduler(GraphOp graph, ModuleOp kernels)
      : graph(graph), kernels(kernels), program(graph, kernels) {}

  exec::ProgramOp run();

private:
  unsigned slotOf(Value value);
  unsigned endSlotOf(Value value);
  unsigned addArena(RankedTensorType type, StringRef name, Location loc);
  unsigned addView(unsigned slot, RankedTensorType type);
  unsigned variableSlot(StringRef variable, RankedTensorType type,
                        Location loc);
  void use(unsigned slot, int64_t at);
  void addCopy(unsigned source, unsigned target, Location loc, StringRef name);
  void stageOldValues();
  void addDispatch(exec::LaunchOp launch);
  void addNext(NextOp next);
  SmallVector<SmallVector<int64_t>> findWaits();
  exec::ProgramOp emit();

  GraphOp graph;
  ModuleOp kernels;
  ProgramOrder program;
  std::vector<Slot> slots;
  std::vector<Instruction> instructions;
  SmallVector<LiveRange> ranges;
  DenseMap<Value, unsigned> places;
  DenseMap<Value, unsigned> staged; ///< old values that are needed at the end
  llvm::StringMap<unsigned> variables;
  std::optional<unsigned> stepState;
  SmallVector<std::pair<StringRef, unsigned>> feeds, fetches;
};

std::string nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto graph = cast<GraphOp>(argument.getOwner()->getParentOp());
    return cast<StringAttr>(graph.getFeedNames()[argument.getArgNumber()])
        .getValue()
        .str();
  }
  auto name = value.getDefiningOp()->getAttrOfType<StringAttr>(kNameAttr);
  std::string text = name ? name.getValue().str() : "";
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
  } else if (isa_and_present<StepStateOp>(op)) {
    if (!stepState) {
      auto words = RankedTensorType::get(
          {kStepStateWords}, IntegerType::get(graph.getContext(), 32));
      slots.push_back(
          {exec::SlotKind::StepState, words, "step_state", loc, {}, {}, -1});
      stepState = slots.size() - 1;
    }
    slot = *stepState;
  } else if (const Assignment *assignment = program.inPlaceOf(storage)) {
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
      {Instruction::Kind::Copy, loc, name.str(), {source, target}, {1}, {}});
}

/// Old values of variables that change, but that a fetch or an assignment reads
/// at the end, are kept aside; so are views of a variable, or of a constant,
/// that are fetched.
void Scheduler::stageOldValues() {
  llvm::StringSet<llvm::MallocAllocator> assigned;
  for (const Assignment &assignment : program.assignments())
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
  for (const Assignment &assignment : program.assignments())
    stage(assignment.value, /*fetched=*/false);
}

void Scheduler::addDispatch(exec::LaunchOp launch) {
  auto kernel = SymbolTable(kernels).lookup<func::FuncOp>(launch.getKernel());
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
  for (OpResult result : next->getResults()) {
    instruction.writes.push_back(instruction.slots.size());
    instruction.slots.push_back(slotOf(result));
    use(instruction.slots.back(), instructions.size());
  }
  instructions.push_back(instruction);
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

exec::ProgramOp Scheduler::run() {
  for (auto [name, argument] :
       llvm::zip(graph.getFeedNames().getAsRange<StringAttr>(),
                 graph.getBlock().getArguments())) {
    unsigned slot = slotOf(argument);
    use(slot, 0);
    feeds.push_back({name.getValue(), slot});
  }
  stageOldValues();
  for (Operation *op : program.instructions())
    if (auto launch = dyn_cast<exec::LaunchOp>(op))
      addDispatch(launch);
    else
      addNext(cast<NextOp>(op));
  for (const Assignment &assignment : program.assignments()) {
    if (assignment.inPlace)
      continue;
    AssignOp assign = assignment.op;
    unsigned target = variableSlot(
        assign.getVariable(), tensorType(assign.getValue()), assign.getLoc());
    unsigned source = staged.count(assignment.value)
                          ? staged.lookup(assignment.value)
                          : slotOf(assignment.value);
    addCopy(source, target, assign.getLoc(), assign.getVariable());
  }
  for (auto [name, value] :
       llvm::zip(graph.getFetchNames().getAsRange<StringAttr>(),
                 graph.getReturn().getValues())) {
    unsigned slot = endSlotOf(value);
    use(slot, instructions.size());
    fetches.push_back({name.getValue(), slot});
  }
  return emit();
}

exec::ProgramOp Scheduler::emit() {
  ArenaPlan plan = planArena(ranges);
  SmallVector<SmallVector<int64_t>> waits = findWaits();
  OpBuilder b(graph);
  auto op = exec::ProgramOp::create(b, graph.getLoc(), graph.getSymName(),
                                    graph.getSymName(), kCpuDevice, plan.bytes,
                                    plan.live);
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
  for (auto [name, slot] : feeds)
    exec::FeedOp::create(b, graph.getLoc(), name, values[slot]);
  for (auto [instruction, wait] : llvm::zip(instructions, waits)) {
    SmallVector<Value> operands;
    for (unsigned slot : instruction.slots)
      operands.push_back(values[slot]);
    Operation *created = nullptr;
    if (instruction.kind == Instruction::Kind::Copy)
      created = exec::CopyOp::create(b, instruction.loc, operands[0],
                                     operands[1], wait);
    else if (instruction.kind == Instruction::Kind::Next)
      created = exec::NextOp::create(b, instruction.loc, instruction.symbol,
                                     operands, wait);
    else
      created = exec::DispatchOp::create(b, instruction.loc, instruction.symbol,
                                         operands, instruction.writes, wait);
    created->setAttr(kNameAttr, b.getStringAttr(instruction.name));
  }
  for (auto [name, slot] : fetches)
    exec::FetchOp::create(b, graph.getLoc(), name, values[slot]);
  return op;
}

struct ScheduleProgramsPass
    : impl::ScheduleProgramsPassBase<ScheduleProgramsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = module.lookupSymbol<ModuleOp>(kKernelsModule);
    for (GraphOp graph : llvm::make_early_inc_range(module.getOps<GraphOp>())) {
      Scheduler(graph, kernels).run();
      graph.erase();
    }
  }
};

} // namespace
} // namespace graphc
