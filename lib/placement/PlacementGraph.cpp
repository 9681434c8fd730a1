// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/PlacementGraph.h"

#include "dialects/tfir/OpWork.h"
#include "lib/frontend/FlatGraph.h"
#include "lib/frontend/UniqueNames.h"
#include "lib/placement/DeviceRequests.h"
#include "lib/placement/OpKernels.h"

#include <algorithm>

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// Most errors that are reported.
constexpr unsigned kMaxErrors = 20;

class GraphReader {
public:
  GraphReader(PlacementProblem &problem, const PlacementRules &rules, bool soft)
      : problem(problem), kernels(problem), requests(problem, rules, soft) {}

  LogicalResult read(ModuleOp module);

private:
  StringRef kindOf(Operation *op);
  uint32_t addNode(PlacementNode node);
  LogicalResult addGraph(GraphOp graph);
  void addInputs(Operation *op, uint32_t node);
  uint32_t nodeOf(Value value) const;

  void link(uint32_t from, uint32_t to, bool isReference);
  void linkSymbols(Operation *op, uint32_t node);
  LogicalResult linkCustom(CustomOp op, uint32_t node);
  void findNames(uint32_t begin, llvm::StringMap<uint32_t> &wanted) const;
  void linkColocations(uint32_t begin);
  LogicalResult addColocations(uint32_t node, Attribute attr);
  void indexUsers();

  void check(LogicalResult result) { errors += failed(result); }

  PlacementProblem &problem;
  OpKernels kernels;
  DeviceRequests requests;
  unsigned errors = 0;

  DenseMap<OperationName, StringRef> kinds;
  DenseMap<StringAttr, uint32_t> variables;
  DenseMap<Operation *, uint32_t> nodes; ///< of the current graph
  size_t firstFeed = 0;                  ///< of the current graph
  /// The first node that reads a part of a dataset.
  DenseMap<std::pair<StringAttr, int64_t>, uint32_t> readers;
  SmallVector<std::pair<uint32_t, StringAttr>> colocations; ///< of the graph
};

/// The text lives as long as the context.
StringRef GraphReader::kindOf(Operation *op) {
  if (auto custom = dyn_cast<CustomOp>(op))
    return custom.getOp();
  auto [entry, isNew] = kinds.try_emplace(op->getName());
  if (isNew)
    entry->second = StringAttr::get(op->getContext(), kindName(op)).getValue();
  return entry->second;
}

uint32_t GraphReader::addNode(PlacementNode node) {
  uint32_t number = problem.nodes.size();
  if (errors < kMaxErrors)
    check(kernels.read(node));
  if (errors < kMaxErrors)
    check(requests.read(node));
  problem.nodes.push_back(node);
  problem.inputBegin.push_back(problem.inputList.size());
  return number;
}

uint32_t GraphReader::nodeOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return firstFeed + argument.getArgNumber();
  return nodes.lookup(value.getDefiningOp());
}

void GraphReader::addInputs(Operation *op, uint32_t node) {
  llvm::SmallDenseSet<Value, 4> seen;
  for (Value operand : op->getOperands()) {
    // A value that is used twice is read once.
    if (op->getNumOperands() > 1 && !seen.insert(operand).second)
      continue;
    auto result = dyn_cast<OpResult>(operand);
    problem.inputList.push_back(
        {nodeOf(operand), result ? result.getResultNumber() : 0,
         static_cast<uint64_t>(bytesOf(operand.getType()))});
  }
}

void GraphReader::link(uint32_t from, uint32_t to, bool isReference) {
  if (from != to)
    problem.links.push_back({from, to, isReference, /*isDropped=*/false});
}

/// Colocates ops with the variables that they name, and readers of the same
/// dataset shard, which share one place in the data.
void GraphReader::linkSymbols(Operation *op, uint32_t node) {
  if (auto next = dyn_cast<NextOp>(op)) {
    // Each worker has its own place in the data.
    int64_t part = next.getShard();
    if (auto instance = cast<GraphOp>(op->getParentOp()).getInstance())
      part = -1 - instance->getWorker();
    auto [reader, isNew] =
        readers.try_emplace({next.getDatasetAttr().getAttr(), part}, node);
    if (!isNew)
      link(reader->second, node, /*isReference=*/true);
    return;
  }
  auto linkTo = [&](FlatSymbolRefAttr symbol) {
    auto variable = variables.find(symbol.getAttr());
    if (variable != variables.end())
      link(variable->second, node, /*isReference=*/true);
  };
  if (auto read = dyn_cast<ReadOp>(op))
    return linkTo(read.getVariableAttr());
  if (auto assign = dyn_cast<AssignOp>(op))
    return linkTo(assign.getVariableAttr());
  op->getAttrDictionary().walk<WalkOrder::PreOrder>(
      [&](FlatSymbolRefAttr symbol) { linkTo(symbol); });
}

LogicalResult GraphReader::linkCustom(CustomOp op, uint32_t node) {
  const KernelOp *info = problem.kernels->info(op.getOp());
  if (!info)
    return success(); // an error before
  auto fail = [&](StringRef what, unsigned number, unsigned count) {
    return op.emitOpError()
           << "has " << count << " " << what << "s, but "
           << problem.kernels->place(op.getOp()) << " says of " << what << " "
           << number << " of '" << op.getOp()
           << "' that it refers to a resource; numbers count from 0";
  };
  for (const auto &list : {info->refs, info->resources})
    for (unsigned number : list) {
      if (number >= op.getNumOperands())
        return fail("operand", number, op.getNumOperands());
      link(nodeOf(op.getOperand(number)), node, /*isReference=*/true);
    }
  for (unsigned number : info->resourceResults)
    if (number >= op.getNumResults())
      return fail("result", number, op.getNumResults());
  if (!info->resourceResults.empty() && op.getNumOperands() == 0) {
    problem.nodes[node].isResource = true;
    problem.nodes[node].isGenerator = false;
  }
  problem.nodes[node].isMetadata = info->metadata && op.getNumOperands() > 0;
  return success();
}

/// Finds the nodes with these names among those from `begin` on. An op that was
/// expanded to several, "drop/Mul" and so on for "drop", stands for the first
/// of these.
void GraphReader::findNames(uint32_t begin,
                            llvm::StringMap<uint32_t> &wanted) const {
  if (wanted.empty())
    return;
  llvm::StringMap<uint32_t> parts;
  for (uint32_t i = begin; i < problem.nodes.size(); ++i) {
    StringRef name = problem.nodes[i].name;
    auto whole = wanted.find(name);
    if (whole != wanted.end() && whole->second == kNoNode)
      whole->second = i;
    for (size_t slash = name.rfind('/'); slash != StringRef::npos;
         slash = name.rfind('/', slash)) {
      name = name.take_front(slash);
      if (wanted.contains(name) && !parts.try_emplace(name, i).second)
        break; // and so are the parts of this name
    }
  }
  for (auto &entry : wanted)
    if (entry.second == kNoNode && parts.contains(entry.first()))
      entry.second = parts.lookup(entry.first());
}

/// `begin`: the first node of the graph. Ops that name an op which is no longer
/// there share the device among themselves.
void GraphReader::linkColocations(uint32_t begin) {
  llvm::StringMap<uint32_t> byName;
  for (auto [node, target] : colocations)
    if (!variables.contains(target))
      byName[target.getValue()] = kNoNode;
  findNames(begin, byName);
  for (auto [node, target] : colocations) {
    auto variable = variables.find(target);
    if (variable != variables.end()) {
      link(variable->second, node, /*isReference=*/false);
      continue;
    }
    uint32_t &first = byName[target.getValue()];
    if (first == kNoNode)
      first = node;
    link(first, node, /*isReference=*/false);
  }
  colocations.clear();
}

LogicalResult GraphReader::addColocations(uint32_t node, Attribute attr) {
  auto list = dyn_cast<ArrayAttr>(attr);
  for (Attribute target : list ? list.getValue() : ArrayRef(attr)) {
    auto name = dyn_cast<StringAttr>(target);
    if (!name || name.empty())
      return emitError(problem.nodes[node].getLoc())
             << "'" << problem.nodes[node].name << "' has " << attr
             << " as 'colocate_with', expected the name of an op or a "
                "variable, such as \"fc1/weights\"";
    colocations.push_back({node, name});
  }
  return success();
}

LogicalResult GraphReader::addGraph(GraphOp graph) {
  uint32_t number = problem.graphs.size();
  problem.graphs.push_back(graph);
  if (failed(requireFlat(graph)))
    return failure();
  Block &block = graph.getBlock();
  size_t count = block.getNumArguments() + block.getOperations().size();
  nodes.clear();
  nodes.reserve(count);
  firstFeed = problem.nodes.size();
  problem.nodes.reserve(std::max(firstFeed + count, 2 * firstFeed));
  for (BlockArgument argument : block.getArguments()) {
    PlacementNode node;
    node.feed = argument;
    node.name = cast<StringAttr>(graph.getFeedNames()[argument.getArgNumber()]);
    node.kind = "Placeholder";
    node.graph = number;
    node.isGenerator = true;
    addNode(node);
  }
  for (Operation &op : block.without_terminator()) {
    PlacementNode node;
    node.op = &op;
    node.kind = kindOf(&op);
    StringAttr name = getNodeName(&op);
    node.name = name ? name.getValue() : node.kind;
    node.graph = number;
    bool namesSymbols = isa<SymbolUserOpInterface>(op);
    node.isGenerator = op.getNumOperands() == 0 && !namesSymbols;
    uint32_t added = addNode(node);
    nodes[&op] = added;
    addInputs(&op, added);
    if (namesSymbols)
      linkSymbols(&op, added);
    else if (auto custom = dyn_cast<CustomOp>(op))
      check(linkCustom(custom, added));
    if (Attribute target = getColocationAttr(&op))
      check(addColocations(added, target));
  }
  linkColocations(firstFeed);
  return success();
}

/// Turns the inputs around.
void GraphReader::indexUsers() {
  std::vector<uint32_t> &begin = problem.userBegin;
  begin.assign(problem.nodes.size() + 1, 0);
  for (const PlacementInput &input : problem.inputList)
    ++begin[input.node + 1];
  for (size_t i = 1; i < begin.size(); ++i)
    begin[i] += begin[i - 1];
  problem.userList.resize(problem.inputList.size());
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  for (uint32_t node = 0; node < problem.nodes.size(); ++node)
    for (const PlacementInput &input : problem.inputs(node))
      problem.userList[next[input.node]++] = node;
}

LogicalResult GraphReader::read(ModuleOp module) {
  for (auto variable : module.getOps<VariableOp>()) {
    PlacementNode node;
    node.op = variable;
    node.name = variable.getSymName();
    node.kind = kindOf(variable);
    node.isResource = true;
    variables[variable.getSymNameAttr()] = addNode(node);
    if (Attribute target = getColocationAttr(variable))
      check(addColocations(problem.nodes.size() - 1, target));
  }
  linkColocations(0);
  for (auto graph : module.getOps<GraphOp>())
    if (failed(addGraph(graph)))
      return failure();
  problem.inputBegin.push_back(problem.inputList.size());
  indexUsers();
  return success(errors == 0);
}

} // namespace

FailureOr<PlacementProblem> readPlacementGraph(ModuleOp module,
                                               const DeviceSet &devices,
                                               const KernelTable &kernels,
                                               const PlacementRules &rules,
                                               bool soft) {
  PlacementProblem problem(devices, kernels);
  GraphReader reader(problem, rules, soft);
  if (failed(reader.read(module)))
    return failure();
  return problem;
}

} // namespace graphc
