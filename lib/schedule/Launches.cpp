// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dependencies, and variables that are written in place.
#include "lib/schedule/Launches.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/gather/UpdatesRows.h"
#include "lib/lowering/Views.h"
#include "lib/target/common/KernelAttrs.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

/// The ops that use the bytes of `storage`.
static llvm::SetVector<Operation *> usersOf(Value storage) {
  llvm::SetVector<Operation *> users;
  for (Value view : viewsOf(storage))
    for (Operation *user : view.getUsers())
      if (!readsNothing(user))
        users.insert(user);
  return users;
}

/// Code for small kernels sets aside what it must not overwrite yet.
constexpr int64_t kSmallUpdate = 16384;

bool canWriteOver(func::FuncOp kernel, unsigned index, unsigned result) {
  BlockArgument argument = kernel.getArgument(index);
  Value written = kernel.getBody().front().getTerminator()->getOperand(result);
  if (argument.getType() != written.getType())
    return false;
  // It reads the rows that it writes before, or no other.
  if (Operation *maker = written.getDefiningOp();
      maker && maker->hasTrait<UpdatesRows>())
    return argument == maker->getOperand(0) && argument.hasOneUse();
  bool hasContraction =
      llvm::any_of(kernel.getBody().front(), [](Operation &op) {
        return isa<ContractionInterface>(&op);
      });
  if (!hasContraction && tensorType(argument).getNumElements() <= kSmallUpdate)
    return true;
  // The epilogue of a contraction stores each result when it has it; other
  // kernels first load all that is at one place.
  return llvm::all_of(argument.getUses(), [&](OpOperand &use) {
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    return generic && (!hasContraction || generic == written.getDefiningOp()) &&
           generic.getNumReductionLoops() == 0 &&
           generic.getMatchingIndexingMap(&use).isIdentity();
  });
}

StepGraph::StepGraph(ArrayRef<GraphOp> graphs, ModuleOp kernelModule)
    : graphs(graphs), kernelModule(kernelModule), kernels(kernelModule),
      assigns(graphs.size()), reads(graphs.size()) {}

LogicalResult StepGraph::build() {
  for (unsigned program = 0; program < graphs.size(); ++program)
    addNodes(program);
  if (failed(connectTransfers()))
    return failure();
  for (unsigned program = 0; program < graphs.size(); ++program)
    for (Assignment &assignment : assigns[program])
      decide(program, assignment);
  overwriteParts();
  connectAllReduces();
  markKernels();
  return success();
}

func::FuncOp StepGraph::kernelOf(exec::LaunchOp launch) {
  return kernels.lookup<func::FuncOp>(launch.getKernel());
}

const Assignment *StepGraph::inPlaceOf(Value storage) const {
  auto it = inPlace.find(storage);
  return it == inPlace.end() ? nullptr
                             : &assigns[it->second.first][it->second.second];
}

void StepGraph::addNodes(unsigned program) {
  Operation *lastNext = nullptr;
  for (Operation &op : graphs[program].getBlock().without_terminator()) {
    if (auto read = dyn_cast<ReadOp>(op))
      reads[program][read.getVariableAttr()] = read;
    if (auto assign = dyn_cast<AssignOp>(op))
      assigns[program].push_back(
          {assign, storageOf(assign.getValue()), false, {}});
    if (!isa<exec::LaunchOp>(op) && !op.hasTrait<MovesValues>() &&
        !op.hasTrait<KernelBarrier>())
      continue;
    StepNode node{&op, program, {}};
    SmallVector<Value> needed(op.getOperands());
    for (size_t i = 0; i < needed.size(); ++i) {
      if (Operation *source = storageOf(needed[i]).getDefiningOp())
        if (numbers.count(source))
          node.before.insert(source);
      llvm::append_range(needed, awaitedBy(needed[i]));
    }
    if (isa<NextOp>(op)) {
      if (lastNext)
        node.before.insert(lastNext);
      lastNext = &op;
    }
    numbers[&op] = all.size();
    all.push_back(std::move(node));
  }
}

LogicalResult StepGraph::connectTransfers() {
  std::map<int64_t, SendOp> sends;
  for (const StepNode &node : all) {
    auto send = dyn_cast<SendOp>(node.op);
    if (!send)
      continue;
    auto [it, isNew] = sends.try_emplace(send.getEdge(), send);
    if (isNew)
      continue;
    InFlightDiagnostic error =
        send.emitOpError() << "uses edge " << static_cast<int64_t>(it->first)
                           << ", which is used already; number the edges of a "
                              "graph anew";
    error.attachNote(it->second.getLoc()) << "the other use is here";
    return error;
  }
  for (StepNode &node : all) {
    auto recv = dyn_cast<RecvOp>(node.op);
    if (!recv)
      continue;
    auto it = sends.find(recv.getEdge());
    if (it == sends.end())
      return recv.emitOpError()
             << "waits for edge " << static_cast<int64_t>(recv.getEdge())
             << ", which nobody sends, or which another recv has taken";
    node.before.insert(it->second);
    sends.erase(it);
  }
  if (!sends.empty())
    return sends.begin()->second.emitOpError()
           << "sends edge " << static_cast<int64_t>(sends.begin()->first)
           << ", which nobody receives";
  return success();
}

/// True when `to` must run after `from`.
bool StepGraph::reaches(Operation *from, Operation *to) {
  SmallVector<Operation *> work{to};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (op == from)
      return true;
    if (!seen.insert(op).second)
      continue;
    const llvm::SetVector<Operation *> &before = all[numberOf(op)].before;
    work.append(before.begin(), before.end());
  }
  return false;
}

/// True when a send must run after `from`.
bool StepGraph::isSentOn(Operation *from) {
  unsigned program = all[numberOf(from)].program;
  return llvm::any_of(all, [&](const StepNode &node) {
    return node.program == program && isa<SendOp>(node.op) &&
           reaches(from, node.op);
  });
}

void StepGraph::decide(unsigned program, Assignment &assignment) {
  auto producer = assignment.value.getDefiningOp<exec::LaunchOp>();
  if (!producer || inPlaceOf(assignment.value))
    return;
  // A variable is a slot of its own type; no part of it is one, nor is what is
  // fetched with another shape.
  Type type = AssignOp(assignment.op).getValue().getType();
  if (llvm::any_of(viewsOf(assignment.value), [&](Value view) {
        return view.getDefiningOp<SliceOp>() ||
               (view.getType() != type &&
                llvm::any_of(view.getUsers(), llvm::IsaPred<ReturnOp>));
      }))
    return;
  auto setInPlace = [&] {
    assignment.inPlace = true;
    inPlace[assignment.value] = {program,
                                 &assignment - assigns[program].data()};
  };
  // Other workers may update the variable before this step does.
  if (graphs[program].isCoordinated() && isSentOn(producer))
    return;
  // The readers of the old value.
  ReadOp read = reads[program].lookup(assignment.op.getVariableAttr());
  if (!read)
    return setInPlace();
  Value old = read.getValue();
  unsigned result = cast<OpResult>(assignment.value).getResultNumber();
  llvm::SetVector<Operation *> readers = usersOf(old);
  std::optional<unsigned> over;
  for (Operation *reader : readers) {
    // A fetch, or another assignment, needs the old value to the end.
    if (!isa<exec::LaunchOp, SendOp>(reader) &&
        !reader->hasTrait<KernelBarrier>())
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
      all[numberOf(producer)].before.insert(reader);
  setInPlace();
  assignment.overArgument = over;
  if (over) {
    written[producer].push_back(result);
    written[producer].push_back(*over);
  }
}

/// A kernel is code for one set of places. Launches that share one, but write
/// other places, get a copy of it.
void StepGraph::markKernels() {
  llvm::StringMap<SmallVector<exec::LaunchOp>> launches;
  SmallVector<StringRef> names; // in the order of the nodes
  for (const StepNode &node : all)
    if (auto launch = dyn_cast<exec::LaunchOp>(node.op)) {
      auto [it, isNew] = launches.try_emplace(launch.getKernel());
      if (isNew)
        names.push_back(it->first());
      it->second.push_back(launch);
    }
  auto mark = [&](func::FuncOp kernel, ArrayRef<int64_t> pairs) {
    for (size_t i = 0; i < pairs.size(); i += 2)
      setOverwrittenArgument(kernel, pairs[i], pairs[i + 1]);
  };
  for (StringRef name : names) {
    // The first way keeps the name. All copies are made before it is marked.
    auto kernel = kernels.lookup<func::FuncOp>(name);
    std::map<SmallVector<int64_t>, func::FuncOp> ways;
    for (exec::LaunchOp launch : launches[name]) {
      SmallVector<int64_t> pairs = written.lookup(launch);
      auto [it, isNew] = ways.try_emplace(pairs, kernel);
      if (isNew && ways.size() > 1) {
        it->second = kernel.clone();
        kernels.insert(it->second);
      }
      if (it->second != kernel)
        launch.setKernelAttr(FlatSymbolRefAttr::get(it->second));
    }
    for (auto &[pairs, copy] : ways)
      mark(copy, pairs);
  }
}

} // namespace graphc
