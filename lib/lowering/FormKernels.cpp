// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves each group of ops into a function of the module `kernels` and launches
// it:
//
//   %h = tfir.matmul %x, %w         func.func @train_MatMul(%x, %w, %b) {
//   %s = tfir.add %h, %b       ->     ... the same ops ...
//   %y = tfir.relu %s               }
//                                   %y = exec.launch @train_MatMul(%x, %w, %b)
//
// Constants of one value move into the function, unless they are multiplied;
// other constants, and everything else from outside, become arguments. An
// argument that is a word of the step's state is marked (KernelAttrs.h).
//
// Towers do the same: in a divided graph, and in its variant for the host,
// groups that are equal launch one function, which is then lowered once.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/OpWork.h"
#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/gather/UpdatesRows.h"
#include "graphc/Passes.h"
#include "lib/lowering/KernelCode.h"
#include "lib/lowering/KernelGroups.h"
#include "lib/target/Target.h"
#include "lib/target/common/FusedPlace.h"
#include "lib/target/common/KernelAttrs.h"
#include "runtime/base/Glob.h"
#include "runtime/base/Suggest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <queue>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_FORMKERNELSPASS
#include "graphc/Passes.h.inc"

namespace {

bool isSplat(Value value) {
  auto constant = value.getDefiningOp<ConstOp>();
  auto dense =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return dense && dense.isSplat() &&
         tensorType(value).getElementType().isIntOrFloat();
}

/// The values that cross the border of a group.
struct Border {
  /// `splats` are made anew inside; a contraction, and what updates rows, take
  /// their operands from memory, so these are inputs, whatever they hold.
  SetVector<Value> inputs, splats, outputs;

  /// Results of ops among `kept` are outputs whoever reads them.
  Border(const KernelGroup &group, const KernelGroups::OpSet &kept) {
    llvm::DenseSet<Operation *> inside(group.ops.begin(), group.ops.end());
    for (Operation *op : group.ops) {
      for (Value operand : op->getOperands())
        if (isSplat(operand) && !isa<ContractionInterface>(op) &&
            !op->hasTrait<UpdatesRows>())
          splats.insert(operand);
        else if (!inside.contains(operand.getDefiningOp()))
          inputs.insert(operand);
      for (Value result : op->getResults())
        if (kept.contains(op) ||
            llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !inside.contains(user);
            }))
          outputs.insert(result);
    }
    splats.remove_if([&](Value splat) { return inputs.contains(splat); });
  }
};

/// The op that stands for the group: the contraction, or the one with the most
/// to do.
Operation *rootOf(const KernelGroup &group) {
  Operation *root = group.ops.front();
  int64_t most = -1;
  for (Operation *op : group.ops) {
    int64_t elements = isa<ContractionInterface>(op)
                           ? std::numeric_limits<int64_t>::max()
                           : tensorType(op->getResult(0)).getNumElements();
    if (elements > most && getNodeName(op)) {
      most = elements;
      root = op;
    }
  }
  return root;
}

/// The name of the graph that the partition, or its variant for the host, is
/// of.
StringRef sourceNameOf(GraphOp partition) {
  StringRef name = partition.getSymName();
  if (auto of = partition.getPartitionOf())
    name = *of;
  name.consume_back(exec::kHostMark);
  return name;
}

/// The symbol of the kernel.
std::string kernelName(GraphOp graph, const KernelGroup &group) {
  Operation *root = rootOf(group);
  StringRef name = root->getName().stripDialect();
  if (auto attr = getNodeName(root))
    name = attr.getValue();
  std::string symbol = (sourceNameOf(graph) + "_" + name).str();
  for (char &c : symbol)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '_')
      c = '_';
  return symbol;
}

/// True for ops that make a NaN or an infinity of numbers that are neither
/// large nor small.
bool leavesFinite(Operation *op) {
  return op->hasTrait<MakesNonFinite>() &&
         isa<FloatType>(tensorType(op->getResult(0)).getElementType());
}

/// The ops that a group is named by: its contraction, then those after which
/// to look for the origin of a NaN, or the one with the most to do.
SmallVector<Operation *> namesakes(const KernelGroup &group) {
  constexpr unsigned kMaxNames = 3;
  SmallVector<Operation *> found;
  Operation *root = rootOf(group);
  if (isa<ContractionInterface>(root) && getNodeName(root))
    found.push_back(root);
  for (Operation *op : group.ops)
    if (leavesFinite(op) && getNodeName(op) && found.size() < kMaxNames)
      found.push_back(op);
  if (found.empty())
    found.push_back(root);
  return found;
}

/// The name of a group, for people: "MatMul, Log and 3 more".
std::string describe(const KernelGroup &group, ArrayRef<Operation *> first) {
  SmallVector<StringRef> names;
  for (Operation *op : first)
    if (auto name = getNodeName(op))
      names.push_back(name.getValue());
  size_t named =
      llvm::count_if(group.ops, [](Operation *op) { return getNodeName(op); });
  std::string text = llvm::join(names, ", ");
  if (named > names.size())
    text += " and " + std::to_string(named - names.size()) + " more";
  return text;
}

/// The places of the ops of a group by their names, with their work; the first
/// is the one that messages show.
Location placeOf(const KernelGroup &group, Operation *first) {
  llvm::MapVector<NameLoc, double> places;
  auto add = [&](Operation *op, double work) {
    if (auto name = getNodeName(op))
      places[NameLoc::get(name, op->getLoc())] += work;
  };
  add(first, 0);
  for (Operation *op : group.ops)
    add(op, workOf(op).flops);
  if (places.size() < 2)
    return first->getLoc();
  return fusePlaces(llvm::to_vector(
      llvm::map_range(places, [](auto &each) -> FusedPlace { return each; })));
}

/// The names of what a launch gives, each that of the op which makes it, with
/// ":1" for the second result of an op.
ArrayAttr resultNames(Builder &b, ArrayRef<Value> outputs) {
  SmallVector<Attribute> names;
  for (Value output : outputs) {
    StringAttr name = getNodeName(output.getDefiningOp());
    unsigned number = cast<OpResult>(output).getResultNumber();
    names.push_back(b.getStringAttr(
        !name         ? Twine()
        : number == 0 ? Twine(name.getValue())
                      : name.getValue() + Twine(":") + Twine(number)));
  }
  return b.getArrayAttr(names);
}

/// The kernels of a divided graph by their code.
using SharedKernels = llvm::StringMap<StringAttr>;

/// Outlines the groups of one graph.
class Outliner {
public:
  /// `shared` is null for a graph that is whole.
  Outliner(GraphOp graph, SymbolTable &kernels, SharedKernels *shared,
           const KernelGroups::OpSet &kept)
      : graph(graph), kernels(kernels), shared(shared), kept(kept),
        groups(graph.getBlock(), targetOf(graph).maxFusedOps(), kept) {}

  void run() {
    sortByDependencies();
    for (const KernelGroup &group : groups.groups())
      if (!group.ops.empty())
        outline(group);
  }

private:
  /// Orders the block so that the ops of each group stand together.
  void sortByDependencies();
  void outline(const KernelGroup &group);
  StringAttr enter(func::FuncOp func);

  GraphOp graph;
  SymbolTable &kernels;
  SharedKernels *shared;
  const KernelGroups::OpSet &kept;
  KernelGroups groups;
};

void Outliner::sortByDependencies() {
  // A node is a group or an op outside of groups; its rank is the place of its
  // first op, so that the order of the graph is kept where it can be.
  struct Node {
    SmallVector<Operation *> ops;
    SmallVector<unsigned> users;
    unsigned waiting = 0;
    unsigned rank = 0;
  };
  Block &block = graph.getBlock();
  std::vector<Node> nodes(groups.groups().size());
  DenseMap<Operation *, unsigned> nodeOf;
  unsigned place = 0;
  for (Operation &op : block.without_terminator()) {
    unsigned node;
    if (std::optional<unsigned> group = groups.groupOf(&op)) {
      node = *group;
    } else {
      node = nodes.size();
      nodes.emplace_back();
    }
    if (nodes[node].ops.empty())
      nodes[node].rank = place;
    nodes[node].ops.push_back(&op);
    nodeOf[&op] = node;
    ++place;
  }
  std::optional<unsigned> lastState;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    llvm::SetVector<unsigned> inputs;
    for (Operation *op : nodes[i].ops)
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp())
          if (nodeOf.lookup(source) != i)
            inputs.insert(nodeOf.lookup(source));
    for (unsigned input : inputs) {
      nodes[input].users.push_back(i);
      ++nodes[i].waiting;
    }
  }
  // Batches are taken and variables assigned in the order of the graph.
  for (Operation &op : block.without_terminator()) {
    if (!isa<NextOp, AssignOp>(op))
      continue;
    unsigned node = nodeOf.lookup(&op);
    if (lastState) {
      nodes[*lastState].users.push_back(node);
      ++nodes[node].waiting;
    }
    lastState = node;
  }
  auto later = [&](unsigned a, unsigned b) {
    return nodes[a].rank > nodes[b].rank;
  };
  std::priority_queue<unsigned, std::vector<unsigned>, decltype(later)> ready(
      later);
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (!nodes[i].waiting)
      ready.push(i);
  while (!ready.empty()) {
    unsigned node = ready.top();
    ready.pop();
    for (Operation *op : nodes[node].ops)
      op->moveBefore(block.getTerminator());
    for (unsigned user : nodes[node].users)
      if (--nodes[user].waiting == 0)
        ready.push(user);
  }
}

/// Adds a function to the kernels, unless there is an equal one; the name of
/// the one that stays.
StringAttr Outliner::enter(func::FuncOp func) {
  if (shared) {
    auto [it, isNew] = shared->try_emplace(kernelCode(func));
    if (!isNew) {
      func.erase();
      return it->second;
    }
    return it->second = kernels.insert(func);
  }
  return kernels.insert(func);
}

void Outliner::outline(const KernelGroup &group) {
  Border border(group, kept);
  Location loc = group.ops.front()->getLoc();
  OpBuilder b(graph.getContext());
  auto inputs = border.inputs.getArrayRef();
  auto outputs = border.outputs.getArrayRef();
  auto type = b.getFunctionType(ValueRange(inputs).getTypes(),
                                ValueRange(outputs).getTypes());
  auto func = func::FuncOp::create(loc, kernelName(graph, group), type);
  for (auto [i, input] : llvm::enumerate(inputs))
    if (auto state = input.getDefiningOp<StepStateOp>())
      setStepStateWord(func, i,
                       stepStateWord(cast<OpResult>(input).getResultNumber()));
  Block *body = func.addEntryBlock();
  b.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(inputs, body->getArguments());
  for (Value splat : border.splats)
    mapping.map(splat, b.clone(*splat.getDefiningOp())->getResult(0));
  for (Operation *op : group.ops)
    b.clone(*op, mapping);
  SmallVector<Value> returned;
  for (Value output : outputs)
    returned.push_back(mapping.lookup(output));
  func::ReturnOp::create(b, loc, returned);

  b.setInsertionPointAfter(group.ops.back());
  SmallVector<Operation *> named = namesakes(group);
  auto launch = exec::LaunchOp::create(
      b, placeOf(group, named.front()), ValueRange(outputs).getTypes(),
      enter(func).getValue(), inputs,
      group.ops.size() > 1 ? resultNames(b, outputs) : ArrayAttr());
  setNodeName(launch, b.getStringAttr(describe(group, named)));
  setSlot(launch, group.slot);
  if (group.isFallback) {
    setFallback(launch);
    setCollective(launch, group.collective);
  }
  for (auto [i, output] : llvm::enumerate(SmallVector<Value>(outputs)))
    output.replaceAllUsesWith(launch.getResult(i));
  for (Operation *op : llvm::reverse(group.ops))
    op->erase();
}

struct FormKernelsPass : impl::FormKernelsPassBase<FormKernelsPass> {
  using Base::Base;

  /// The kernel ops of a graph that fit a pattern; counts how many fit each.
  KernelGroups::OpSet keptOps(GraphOp graph, MutableArrayRef<size_t> found) {
    KernelGroups::OpSet ops;
    for (Operation &op : graph.getBlock()) {
      StringAttr name = getNodeName(&op);
      if (!name || !isKernelOp(&op) || isFallback(&op))
        continue;
      for (auto [pattern, count] : llvm::zip(keep, found))
        if (runtime::matchesOpName(pattern, name.str())) {
          ops.insert(&op);
          ++count;
        }
    }
    return ops;
  }

  LogicalResult checkFound(ModuleOp module, ArrayRef<size_t> found) {
    for (auto [pattern, count] : llvm::zip(keep, found)) {
      if (count > 0)
        continue;
      std::vector<std::string> names;
      for (GraphOp graph : module.getOps<GraphOp>())
        for (Operation &op : graph.getBlock())
          if (getNodeName(&op) && isKernelOp(&op))
            names.push_back(getNodeName(&op).str());
      llvm::sort(names);
      names.erase(llvm::unique(names), names.end());
      return emitError(UnknownLoc::get(&getContext()))
             << "--keep: "
             << runtime::unknownName("what is compiled", "op", pattern, names)
             << "; ops that nothing needs, that are known already, that are "
                "equal to another one or only show a value in another shape "
                "are not computed";
    }
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<GraphOp> graphs(module.getOps<GraphOp>());
    if (graphs.empty())
      return;
    SmallVector<size_t> found(keep.size());
    SmallVector<KernelGroups::OpSet> kept;
    for (GraphOp graph : graphs)
      kept.push_back(keptOps(graph, found));
    if (failed(checkFound(module, found)))
      return signalPassFailure();
    OpBuilder b(module.getBody(), module.getBody()->end());
    auto kernels = ModuleOp::create(b, module.getLoc(), kKernelsModule);
    SymbolTable symbols(kernels);
    llvm::StringMap<unsigned> partitions;
    for (GraphOp graph : graphs)
      ++partitions[sourceNameOf(graph)];
    // A kernel is lowered for one target.
    std::map<std::pair<StringRef, const Target *>, SharedKernels> shared;
    for (auto [graph, ops] : llvm::zip(graphs, kept)) {
      StringRef source = sourceNameOf(graph);
      bool isDivided = partitions[source] > 1;
      Outliner(graph, symbols,
               isDivided ? &shared[{source, &targetOf(graph)}] : nullptr, ops)
          .run();
    }
  }
};

} // namespace
} // namespace graphc
