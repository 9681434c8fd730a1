// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order of instructions, and variables that are written in place.
#include "lib/schedule/Launches.h"

#include "dialects/tfir/Support.h"
#include "lib/lowering/KernelAttrs.h"
#include "lib/lowering/KernelGroups.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <queue>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

Value storageOf(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  return value;
}

SmallVector<Value> viewsOf(Value storage) {
  SmallVector<Value> views{storage};
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers())
      if (auto reshape = dyn_cast<ReshapeOp>(user))
        views.push_back(reshape.getY());
  return views;
}

/// The ops that use the bytes of `storage`.
static llvm::SetVector<Operation *> usersOf(Value storage) {
  llvm::SetVector<Operation *> users;
  for (Value view : viewsOf(storage))
    for (Operation *user : view.getUsers())
      if (!isa<ReshapeOp>(user))
        users.insert(user);
  return users;
}

/// Code for small kernels sets aside what it must not overwrite yet.
constexpr int64_t kSmallUpdate = 16384;

/// True when the kernel reads argument `index` only where it writes result
/// `result`, element by element, or keeps an order in which that does not
/// matter.
static bool canWriteOver(func::FuncOp kernel, unsigned index, unsigned result) {
  BlockArgument argument = kernel.getArgument(index);
  Value written = kernel.getBody().front().getTerminator()->getOperand(result);
  if (argument.getType() != written.getType())
    return false;
  bool hasContraction =
      llvm::any_of(kernel.getBody().front(),
                   [](Operation &op) { return isContraction(&op); });
  if (!hasContraction && tensorType(argument).getNumElements() <= kSmallUpdate)
    return true;
  for (OpOperand &use : argument.getUses()) {
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!generic || generic != written.getDefiningOp() ||
        generic.getNumReductionLoops() != 0 ||
        !generic.getMatchingIndexingMap(&use).isIdentity())
      return false;
  }
  return true;
}

ProgramOrder::ProgramOrder(GraphOp graph, ModuleOp kernelModule)
    : graph(graph), kernels(kernelModule) {
  Operation *lastNext = nullptr;
  for (Operation &op : graph.getBlock().without_terminator()) {
    if (!isa<exec::LaunchOp, NextOp>(op))
      continue;
    nodes.push_back(&op);
    llvm::SetVector<Operation *> &before = after[&op];
    for (Value operand : op.getOperands())
      if (Operation *source = storageOf(operand).getDefiningOp())
        if (isa<exec::LaunchOp, NextOp>(source))
          before.insert(source);
    if (isa<NextOp>(op)) {
      if (lastNext)
        before.insert(lastNext);
      lastNext = &op;
    }
  }
  for (auto assign : graph.getBlock().getOps<AssignOp>()) {
    assigns.push_back({assign, storageOf(assign.getValue()), false, {}});
    decide(assigns.back());
  }
  sort();
}

const Assignment *ProgramOrder::inPlaceOf(Value storage) const {
  for (const Assignment &assignment : assigns)
    if (assignment.inPlace && assignment.value == storage)
      return &assignment;
  return nullptr;
}

func::FuncOp ProgramOrder::kernelOf(exec::LaunchOp launch) {
  return kernels.lookup<func::FuncOp>(launch.getKernel());
}

/// True when `to` must run after `from`.
bool ProgramOrder::reaches(Operation *from, Operation *to) {
  SmallVector<Operation *> work{to};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (op == from)
      return true;
    if (seen.insert(op).second)
      work.append(after[op].begin(), after[op].end());
  }
  return false;
}

void ProgramOrder::decide(Assignment &assignment) {
  auto producer = assignment.value.getDefiningOp<exec::LaunchOp>();
  if (!producer || inPlaceOf(assignment.value))
    return;
  // The readers of the old value.
  Value old;
  for (auto read : graph.getBlock().getOps<ReadOp>())
    if (read.getVariable() == assignment.op.getVariable())
      old = read.getValue();
  if (!old) {
    assignment.inPlace = true;
    return;
  }
  unsigned result = cast<OpResult>(assignment.value).getResultNumber();
  llvm::SetVector<Operation *> readers = usersOf(old);
  std::optional<unsigned> over;
  for (Operation *reader : readers) {
    // A fetch, or another assignment, needs the old value to the end.
    if (!isa<exec::LaunchOp>(reader))
      return;
    if (reader != producer.getOperation()) {
      if (reaches(producer, reader))
        return;
      continue;
    }
    for (auto [i, operand] : llvm::enumerate(producer->getOperands())) {
      if (storageOf(operand) != old)
        continue;
      if (over || !canWriteOver(kernelOf(producer), i, result))
        return;
      over = i;
    }
  }
  for (Operation *reader : readers)
    if (reader != producer.getOperation())
      after[producer].insert(reader);
  assignment.inPlace = true;
  assignment.overArgument = over;
  if (over)
    kernelOf(producer).setResultAttr(
        result, kInPlace,
        IntegerAttr::get(IntegerType::get(graph.getContext(), 64), *over));
}

void ProgramOrder::sort() {
  DenseMap<Operation *, unsigned> rank, waiting;
  DenseMap<Operation *, SmallVector<Operation *>> users;
  for (auto [i, op] : llvm::enumerate(nodes)) {
    rank[op] = i;
    waiting[op] = after[op].size();
    for (Operation *input : after[op])
      users[input].push_back(op);
  }
  auto later = [&](Operation *a, Operation *b) { return rank[a] > rank[b]; };
  std::priority_queue<Operation *, std::vector<Operation *>, decltype(later)>
      ready(later);
  for (Operation *op : nodes)
    if (!waiting[op])
      ready.push(op);
  while (!ready.empty()) {
    Operation *op = ready.top();
    ready.pop();
    order.push_back(op);
    for (Operation *user : users[op])
      if (--waiting[user] == 0)
        ready.push(user);
  }
  assert(order.size() == nodes.size() && "the graph of launches has a cycle");
}

} // namespace graphc
