// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the instructions of a program.
#include "lib/schedule/ProgramBuilder.h"

#include "dialects/tfir/ops/checks/TfirCheckOps.h"
#include "lib/lowering/Views.h"
#include "lib/target/common/KernelAttrs.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// Constants from here on are not stored if all their elements are equal.
constexpr int64_t kSmallestFill = 1024;

/// The number of an op's collective in a program; 0: it has none.
int64_t collectiveOf(Operation *op) {
  auto collective = getCollective(op);
  return collective ? collective.getInt() + 1 : 0;
}

} // namespace

void ProgramBuilder::addCopy(unsigned source, unsigned target, Location loc,
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
void ProgramBuilder::stageOldValues() {
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
        addArena(tensorType(storage), givenName(storage), storage.getLoc());
    addCopy(slotOf(storage), slot, storage.getLoc(), givenName(storage));
    staged[storage] = slot;
  };
  for (Value value : graph.getReturn().getValues())
    if (isa_and_present<ReadOp, ConstOp>(storageOf(value).getDefiningOp()))
      stage(value, /*fetched=*/true);
  for (const Assignment &assignment : step.assignments(program))
    stage(assignment.value, /*fetched=*/false);
}

void ProgramBuilder::addDispatch(exec::LaunchOp launch) {
  func::FuncOp kernel = step.kernelOf(launch);
  Instruction instruction{Instruction::Kind::Dispatch,
                          launch.getLoc(),
                          givenName(launch.getOperation()),
                          {},
                          {},
                          launch.getKernel()};
  for (Value operand : launch->getOperands())
    instruction.slots.push_back(slotOf(operand));
  for (OpResult result : launch->getResults()) {
    IntegerAttr over = overwrittenArgument(kernel, result.getResultNumber());
    if (over) {
      instruction.writes.push_back(over.getInt());
      places[result] = addAlias(instruction.slots[over.getInt()], result);
      continue;
    }
    instruction.writes.push_back(instruction.slots.size());
    instruction.slots.push_back(slotOf(result));
  }
  for (unsigned slot : instruction.slots)
    use(slot, instructions.size());
  instructions.push_back(instruction);
}

void ProgramBuilder::addNext(NextOp next) {
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
void ProgramBuilder::addDebug(Operation *op) {
  unsigned source = slotOf(op->getOperand(0));
  unsigned target = slotOf(op->getResult(0));
  Instruction instruction{
      Instruction::Kind::Sleep, op->getLoc(), givenName(op), {source}, {}};
  if (auto sleep = dyn_cast<DebugSleepOp>(op)) {
    instruction.number = sleep.getMilliseconds();
  } else {
    instruction.kind = Instruction::Kind::Fail;
    instruction.symbol = cast<DebugFailOp>(op).getText();
  }
  int64_t pause = instructions.size();
  use(source, pause);
  instructions.push_back(instruction);
  // The pause touches no bytes, so nothing else makes the copy wait for it.
  addCopy(source, target, op->getLoc(), givenName(op));
  instructions.back().after = pause;
}

/// The slot of a value, with the value's own type: a variable or a constant
/// that is seen in another shape is copied first, as its slot has only its own.
unsigned ProgramBuilder::typedSlotOf(Value value, Location loc) {
  RankedTensorType type = tensorType(value);
  unsigned slot = slotOf(value);
  if (slots[slot].type != type && slots[slot].range < 0) {
    unsigned copy = addArena(type, givenName(value), loc);
    addCopy(slot, copy, loc, givenName(value));
    slot = copy;
  }
  return addView(slot, type);
}

/// The host looks at the value where it is.
void ProgramBuilder::addReport(Operation *op) {
  unsigned slot = typedSlotOf(op->getOperand(0), op->getLoc());
  Instruction instruction{
      Instruction::Kind::Check, op->getLoc(), givenName(op), {slot}, {}};
  if (auto print = dyn_cast<PrintOp>(op)) {
    instruction.kind = Instruction::Kind::Print;
    instruction.symbol = print.getMessage();
    int64_t all = tensorType(print.getX()).getNumElements();
    auto wanted = static_cast<int64_t>(print.getSummarize());
    instruction.number = wanted < 0 ? all : std::min(all, wanted);
  } else {
    instruction.symbol = cast<AssertOp>(op).getMessage();
  }
  use(slot, instructions.size());
  instructions.push_back(instruction);
}

void ProgramBuilder::addSend(ArrayRef<Operation *> sends) {
  Instruction instruction{
      Instruction::Kind::Send, sends[0]->getLoc(), givenName(sends[0]), {}, {}};
  for (Operation *op : sends) {
    auto send = cast<SendOp>(op);
    // Both ends of an edge have one type.
    unsigned slot = typedSlotOf(send.getValue(), op->getLoc());
    instruction.slots.push_back(slot);
    instruction.edges.push_back(send.getEdge());
    sent[send.getEdge()] = slots[slot].name;
    instruction.collectives.push_back(collectiveOf(op));
    instruction.number = send.getTo();
  }
  if (llvm::all_of(instruction.collectives, [](int64_t n) { return n == 0; }))
    instruction.collectives.clear();
  for (unsigned slot : instruction.slots)
    use(slot, instructions.size());
  instructions.push_back(instruction);
}

void ProgramBuilder::addRecv(ArrayRef<Operation *> recvs) {
  Instruction instruction{
      Instruction::Kind::Recv, recvs[0]->getLoc(), givenName(recvs[0]), {}, {}};
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

/// The sum is where the program makes it, or is copied to a place of its own.
void ProgramBuilder::addAllReduce(AllReduceOp reduce) {
  int64_t number = collectiveOf(reduce);
  std::string name = givenName(reduce.getY());
  unsigned source = slotOf(reduce.getOwn()), target = slotOf(reduce.getSum());
  if (!step.isInPlace(reduce)) {
    unsigned made = target;
    target = addArena(tensorType(reduce.getY()), name, reduce.getLoc());
    addCopy(made, target, reduce.getLoc(), name);
    instructions.back().serves = number;
  }
  places[reduce.getY()] = addAlias(target, reduce.getY());
  use(source, instructions.size());
  use(target, instructions.size());
  instructions.push_back({Instruction::Kind::AllReduce,
                          reduce.getLoc(),
                          name,
                          {source, target},
                          {1}});
  instructions.back().number = number;
}

void ProgramBuilder::add(const StepItem &item) {
  Operation *op = item.ops[0];
  size_t first = instructions.size();
  if (auto launch = dyn_cast<exec::LaunchOp>(op))
    addDispatch(launch);
  else if (auto next = dyn_cast<NextOp>(op))
    addNext(next);
  else if (isa<DebugSleepOp, DebugFailOp>(op))
    addDebug(op);
  else if (isa<AssertOp, PrintOp>(op))
    addReport(op);
  else if (auto reduce = dyn_cast<AllReduceOp>(op))
    addAllReduce(reduce);
  else if (isa<SendOp>(op))
    addSend(item.ops);
  else
    addRecv(item.ops);
  if (isFallback(op))
    for (Instruction &made :
         llvm::MutableArrayRef(instructions).drop_front(first))
      made.serves = collectiveOf(op);
}

/// Ports without slots.
std::vector<ProgramBuilder::Port>
ProgramBuilder::portsOf(ArrayAttr names, DenseI64ArrayAttr order) {
  std::vector<Port> ports;
  for (auto [i, name] : llvm::enumerate(names.getAsRange<StringAttr>()))
    ports.push_back({name.getValue(), 0,
                     order && i < static_cast<size_t>(order.size())
                         ? order[i]
                         : int64_t(i)});
  return ports;
}

void ProgramBuilder::begin() {
  feeds = portsOf(graph.getFeedNames(), graph.getFeedOrderAttr());
  for (auto [feed, argument] :
       llvm::zip(feeds, graph.getBlock().getArguments())) {
    feed.slot = slotOf(argument);
    use(feed.slot, 0);
  }
  stageOldValues();
}

/// The same number everywhere needs no constant of its size.
void ProgramBuilder::addFill(ElementsAttr value, unsigned target,
                             AssignOp assign) {
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

void ProgramBuilder::end() {
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
  fetches = portsOf(graph.getFetchNames(), graph.getFetchOrderAttr());
  for (auto [fetch, value] :
       llvm::zip(fetches, graph.getReturn().getValues())) {
    fetch.slot = endSlotOf(value);
    use(fetch.slot, instructions.size());
  }
}

} // namespace graphc
