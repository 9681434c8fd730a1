// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk over the graph in its order: each op moves to the end of its
// partition, and a value from another one is sent from behind its maker and
// received before the first op that needs it.
#include "lib/partition/PartitionGraph.h"

#include "dialects/tfir/Names.h"
#include "runtime/base/DeviceName.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace graphc::tfir;
using graphc::runtime::DeviceName;

namespace graphc {

namespace {

/// Where what nobody has placed is.
constexpr StringLiteral kClientHost =
    "/job:localhost/replica:0/task:0/device:CPU:0";

/// The replica of what towers share.
constexpr int64_t kShared = -1;

/// The number of an edge before all are known.
constexpr int64_t kOpen = 0;

/// True for ops that are copied to wherever they are used, and never sent.
bool isCopied(Operation *op) {
  return isa_and_present<ConstOp, StepStateOp>(op);
}

/// One graph of the result.
struct Part {
  DeviceName name;
  StringAttr device;
  int64_t replica = kShared;
  unsigned number = 0; ///< in the order of the module
  GraphOp graph;
  SmallVector<Attribute> feedNames, fetchNames, fetchTypes;
  SmallVector<int64_t> feedOrder, fetchOrder;
  SmallVector<Location> feedLocs;
  SmallVector<Type> feedTypes;
  SmallVector<Value> fetches;
  Operation *lastFeedSend = nullptr; ///< the next one goes behind it
};

class GraphCut {
public:
  GraphCut(GraphOp graph, bool byReplica, SymbolTable &symbols)
      : graph(graph), byReplica(byReplica), symbols(symbols),
        b(graph.getContext()) {}

  LogicalResult run();

private:
  FailureOr<unsigned> partFor(StringAttr device, int64_t replica, Location loc);
  LogicalResult assignOp(Operation *op);
  LogicalResult assignFeeds();
  LogicalResult assignRest();
  FailureOr<unsigned> partOfFeed(BlockArgument feed, StringAttr wanted);
  void numberParts();
  std::string symbolOf(const Part &part, bool tasksDiffer);
  void setAttributes(Part &part);
  void strip(Operation *op);
  void keepWhole();
  void markFallbacks();
  void numberEdges();
  void divide();
  void addFeeds();
  bool isOwnBatch(Operation *op) const {
    return byReplica && isa<NextOp>(op) && op->hasAttr(kReplicaAttr);
  }
  void moveOp(Operation *op);
  void addFetches();
  unsigned homeOf(Value value) const;
  std::string nameOf(Value value);
  Value localIn(Value value, unsigned part, Operation *user);
  Value transfer(Value value, unsigned from, unsigned to, Operation *maker,
                 Operation *user);

  GraphOp graph;
  bool byReplica;
  SymbolTable &symbols;
  OpBuilder b;
  std::vector<Part> parts;     ///< in the order in which they are met
  SmallVector<unsigned> order; ///< the same by device
  DenseMap<std::pair<Attribute, int64_t>, unsigned> known;
  DenseMap<Operation *, unsigned> partOf;
  SmallVector<unsigned> feedParts;
  SmallVector<Value> feeds;              ///< arguments of the partitions
  DenseMap<Operation *, int64_t> levels; ///< those above 0
  DenseMap<Value, Value> forwarded;      ///< what an identity stands for
  DenseMap<std::pair<Value, unsigned>, Value> locals;
  DenseMap<Value, Operation *> lastSend;
  SmallVector<Operation *> identities;
  struct Edge {
    SendOp send;
    RecvOp recv;
    std::string name; ///< of the value
    unsigned later;   ///< number of the second of the two parts
  };
  std::vector<Edge> edges;
};

/// The partition of a device, which is made when it is the first time that the
/// device is met.
FailureOr<unsigned> GraphCut::partFor(StringAttr device, int64_t replica,
                                      Location loc) {
  auto [it, isNew] = known.try_emplace({device, replica}, parts.size());
  if (!isNew)
    return it->second;
  auto name = DeviceName::parse(device.getValue());
  if (!name.isOk())
    return emitError(loc) << name.status().message();
  if (!name->isFull())
    return emitError(loc)
           << "'" << device.getValue()
           << "' leaves a part of the device open; an assigned device has all "
              "of them, as '"
           << kClientHost << "' does";
  Part part;
  part.name = *name;
  part.device = b.getStringAttr(name->toString());
  part.replica = replica;
  // Two spellings of one device are one device.
  for (auto [i, other] : llvm::enumerate(parts))
    if (other.device == part.device && other.replica == replica)
      return it->second = i;
  parts.push_back(std::move(part));
  return it->second;
}

LogicalResult GraphCut::assignOp(Operation *op) {
  auto device = op->getAttrOfType<StringAttr>(kAssignedAttr);
  if (!device)
    return op->emitOpError() << "has no '" << kAssignedAttr
                             << "'; run tfir-place before tfir-partition";
  int64_t replica = kShared;
  StringRef variable;
  if (auto read = dyn_cast<ReadOp>(op))
    variable = read.getVariable();
  else if (auto assign = dyn_cast<AssignOp>(op))
    variable = assign.getVariable();
  else if (auto number = op->getAttrOfType<IntegerAttr>(kReplicaAttr);
           number && byReplica)
    replica = number.getInt();
  // A variable is used by one partition of each graph: there, program order is
  // all that keeps a read before the write.
  if (!variable.empty()) {
    Operation *declared = symbols.lookup(variable);
    auto home = declared ? declared->getAttrOfType<StringAttr>(kAssignedAttr)
                         : StringAttr();
    if (home && home != device) {
      InFlightDiagnostic error = op->emitOpError()
                                 << "is on " << device.getValue()
                                 << ", but the variable '" << variable
                                 << "' is on " << home.getValue()
                                 << "; put it on the variable's device";
      error.attachNote(declared->getLoc()) << "the variable is here";
      return error;
    }
  }
  FailureOr<unsigned> part = partFor(device, replica, op->getLoc());
  if (failed(part))
    return failure();
  partOf[op] = *part;
  return success();
}

/// The partition of a feed: that of its users, when they are in one and it is
/// on the wanted device; else the wanted device's, or the host's.
FailureOr<unsigned> GraphCut::partOfFeed(BlockArgument feed,
                                         StringAttr wanted) {
  std::optional<unsigned> only;
  bool several = false;
  for (Operation *user : feed.getUsers()) {
    auto it = partOf.find(user);
    if (it == partOf.end()) // a fetch
      continue;
    several |= only && *only != it->second;
    only = it->second;
  }
  if (only && !several && (!wanted || parts[*only].device == wanted))
    return *only;
  if (wanted)
    return partFor(wanted, kShared, feed.getLoc());
  if (!only && !parts.empty())
    return 0; // a feed that nobody reads may be anywhere
  std::string host = kClientHost.str();
  const Part *first = nullptr;
  for (const Part &part : parts)
    if (!first || part.name < first->name)
      first = &part;
  if (first)
    host = first->name.hostDevice().toString();
  return partFor(b.getStringAttr(host), kShared, feed.getLoc());
}

LogicalResult GraphCut::assignFeeds() {
  auto wanted = graph->getAttrOfType<ArrayAttr>(kFeedDevicesAttr);
  unsigned count = graph.getBlock().getNumArguments();
  if (wanted && (wanted.size() != count ||
                 !llvm::all_of(wanted, llvm::IsaPred<StringAttr>)))
    return graph.emitOpError()
           << "has the attribute '" << kFeedDevicesAttr
           << "', which does not name one device for each of its " << count
           << " feeds";
  for (BlockArgument feed : graph.getBlock().getArguments()) {
    FailureOr<unsigned> part =
        partOfFeed(feed, wanted ? cast<StringAttr>(wanted[feed.getArgNumber()])
                                : StringAttr());
    if (failed(part))
      return failure();
    feedParts.push_back(*part);
  }
  return success();
}

/// What is copied has a place of its own only where it is fetched.
LogicalResult GraphCut::assignRest() {
  for (Value value : graph.getReturn().getValues()) {
    Operation *op = value.getDefiningOp();
    if (!isCopied(op) || partOf.count(op))
      continue;
    auto device = op->getAttrOfType<StringAttr>(kAssignedAttr);
    bool isKnown = device && known.count({device, kShared});
    if (parts.empty() || isKnown) {
      if (failed(assignOp(op)))
        return failure();
    } else {
      partOf[op] = 0;
    }
  }
  if (parts.empty())
    return partFor(b.getStringAttr(kClientHost), kShared, graph.getLoc());
  return success();
}

void GraphCut::numberParts() {
  order.resize(parts.size());
  for (unsigned i = 0; i < parts.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](unsigned x, unsigned y) {
    if (parts[x].name != parts[y].name)
      return parts[x].name < parts[y].name;
    return parts[x].replica < parts[y].replica;
  });
  for (auto [number, index] : llvm::enumerate(order))
    parts[index].number = number;
}

/// "train/GPU:0"; with the task where there are several, with the tower where
/// the partition is only its own.
std::string GraphCut::symbolOf(const Part &part, bool tasksDiffer) {
  std::string symbol = graph.getSymName().str();
  if (tasksDiffer)
    symbol += part.name.taskName().toString();
  symbol += "/" + *part.name.type + ":" + std::to_string(*part.name.id);
  if (part.replica != kShared)
    symbol += "#" + std::to_string(part.replica);
  return symbol;
}

/// The attributes of the undivided graph, but for those that are about the
/// division.
void GraphCut::setAttributes(Part &part) {
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : graph->getDiscardableAttrs())
    if (!llvm::is_contained({kFeedDevicesAttr, kSplitFeedsAttr,
                             kSplitFetchesAttr, kAssignedAttr, kDeviceAttr},
                            attribute.getName().getValue()))
      attributes.push_back(attribute);
  auto add = [&](StringRef name, Attribute value) {
    attributes.push_back(b.getNamedAttr(name, value));
  };
  add(kPartitionOfAttr, graph.getSymNameAttr());
  add(kDeviceAttr, part.device);
  add(kFeedOrderAttr, b.getDenseI64ArrayAttr(part.feedOrder));
  add(kFetchOrderAttr, b.getDenseI64ArrayAttr(part.fetchOrder));
  part.graph->setDiscardableAttrs(b.getDictionaryAttr(attributes));
}

/// Where an op is, its graph says.
void GraphCut::strip(Operation *op) {
  SmallVector<NamedAttribute, 4> kept;
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName().getValue();
    if (name != kAssignedAttr && name != kDeviceAttr && name != kColocateAttr)
      kept.push_back(attribute);
  }
  op->setDiscardableAttrs(b.getDictionaryAttr(kept));
}

void GraphCut::keepWhole() {
  for (Operation &op :
       llvm::make_early_inc_range(graph.getBlock().without_terminator())) {
    if (isa<IdentityOp>(op)) {
      op.getResult(0).replaceAllUsesWith(op.getOperand(0));
      op.erase();
      continue;
    }
    strip(&op);
  }
  Part &part = parts.front();
  part.graph = graph;
  part.feedOrder = llvm::to_vector(
      llvm::seq<int64_t>(0, graph.getBlock().getNumArguments()));
  part.fetchOrder =
      llvm::to_vector(llvm::seq<int64_t>(0, graph.getFetchNames().size()));
  setAttributes(part);
}

void GraphCut::addFeeds() {
  for (BlockArgument feed : graph.getBlock().getArguments()) {
    Part &part = parts[feedParts[feed.getArgNumber()]];
    part.feedNames.push_back(graph.getFeedNames()[feed.getArgNumber()]);
    part.feedOrder.push_back(feed.getArgNumber());
    feeds.push_back(
        part.graph.getBlock().addArgument(feed.getType(), feed.getLoc()));
  }
}

/// The partition in which `value`, which is not copied, is made.
unsigned GraphCut::homeOf(Value value) const {
  if (auto feed = dyn_cast<BlockArgument>(value))
    return feedParts[feed.getArgNumber()];
  return partOf.lookup(value.getDefiningOp());
}

std::string GraphCut::nameOf(Value value) {
  if (auto feed = dyn_cast<BlockArgument>(value))
    return cast<StringAttr>(graph.getFeedNames()[feed.getArgNumber()]).str();
  auto name = value.getDefiningOp()->getAttrOfType<StringAttr>(kNameAttr);
  std::string text = name ? name.str() : "";
  unsigned result = cast<OpResult>(value).getResultNumber();
  return result ? text + ":" + std::to_string(result) : text;
}

/// `value` as `user`, in partition `part`, sees it.
Value GraphCut::localIn(Value value, unsigned part, Operation *user) {
  Operation *maker = value.getDefiningOp();
  if (isCopied(maker)) {
    Value &copy = locals[{value, part}];
    if (!copy) {
      b.setInsertionPointToEnd(&parts[part].graph.getBlock());
      Operation *clone = b.clone(*maker);
      strip(clone);
      partOf[clone] = part;
      for (auto [from, to] :
           llvm::zip(maker->getResults(), clone->getResults()))
        locals[{from, part}] = to;
      return locals[{value, part}];
    }
    return copy;
  }
  if (Value source = forwarded.lookup(value))
    value = source;
  unsigned home = homeOf(value);
  if (home != part)
    return transfer(value, home, part, maker, user);
  auto feed = dyn_cast<BlockArgument>(value);
  return feed ? feeds[feed.getArgNumber()] : value;
}

/// Sends `value` once per destination. The transfer belongs to a collective
/// when both its ends do: `maker`, and `user`, which is the first.
Value GraphCut::transfer(Value value, unsigned from, unsigned to,
                         Operation *maker, Operation *user) {
  Value &received = locals[{value, to}];
  if (received)
    return received;
  Part &source = parts[from], &target = parts[to];
  auto feed = dyn_cast<BlockArgument>(value);
  Operation *&last = feed ? source.lastFeedSend : lastSend[value];
  if (last)
    b.setInsertionPointAfter(last);
  else if (feed)
    b.setInsertionPointToStart(&source.graph.getBlock());
  else
    b.setInsertionPointAfter(value.getDefiningOp());
  std::string name = nameOf(value);
  auto send = SendOp::create(b, value.getLoc(),
                             feed ? feeds[feed.getArgNumber()] : value, kOpen,
                             target.number);
  last = send;

  int64_t level = 1 + (feed ? 0 : levels.lookup(value.getDefiningOp()));
  b.setInsertionPointToEnd(&target.graph.getBlock());
  auto recv = RecvOp::create(b, value.getLoc(), value.getType(), kOpen,
                             source.number, level);
  recv->setAttr(kNameAttr, b.getStringAttr(name)); // if it is sent on
  if (Attribute replica = user->getAttr(kReplicaAttr))
    recv->setAttr(kReplicaAttr, replica);
  if (maker) {
    if (Attribute replica = maker->getAttr(kReplicaAttr))
      send->setAttr(kReplicaAttr, replica);
    Attribute collective = maker->getAttr(kCollectiveAttr);
    if (collective && collective == user->getAttr(kCollectiveAttr)) {
      send->setAttr(kCollectiveAttr, collective);
      recv->setAttr(kCollectiveAttr, collective);
    }
  }
  edges.push_back(
      {send, recv, std::move(name), std::max(source.number, target.number)});
  levels[recv] = level;
  partOf[recv] = to;
  return received = recv.getValue();
}

/// The collective of the all_reduce that a use of a value only serves; null: it
/// has another purpose.
static Attribute servedBy(OpOperand &use) {
  Operation *user = use.getOwner();
  bool isSum = isa<AllReduceOp>(user) && use.getOperandNumber() == 1;
  return isSum || user->hasAttr(kFallbackAttr) ? user->getAttr(kCollectiveAttr)
                                               : Attribute();
}

/// A transfer whose value only serves an all_reduce does, too. What is sent on
/// has its edge behind that by which it came.
void GraphCut::markFallbacks() {
  for (Edge &edge : llvm::reverse(edges)) {
    Attribute served;
    bool isShared = edge.recv.getValue().use_empty();
    for (OpOperand &use : edge.recv.getValue().getUses()) {
      Attribute other = servedBy(use);
      isShared |= !other || (served && served != other);
      served = other;
    }
    if (isShared)
      continue;
    for (Operation *end :
         {edge.send.getOperation(), edge.recv.getOperation()}) {
      end->setAttr(kCollectiveAttr, served);
      end->setAttr(kFallbackAttr, b.getUnitAttr());
    }
  }
}

/// By the later of the two partitions, then as they were met: a partition has
/// the same numbers however many come behind it, so that the plans for several
/// numbers of workers have programs in common.
void GraphCut::numberEdges() {
  llvm::stable_sort(
      edges, [](const Edge &a, const Edge &b) { return a.later < b.later; });
  for (auto [number, edge] : llvm::enumerate(edges)) {
    std::string text = std::to_string(number);
    edge.send.setEdge(number);
    edge.send->setAttr(kNameAttr,
                       b.getStringAttr(edge.name + "/_send_" + text));
    edge.recv.setEdge(number);
    edge.recv->setAttr(kNameAttr,
                       b.getStringAttr(edge.name + "/_recv_" + text));
  }
}

/// A tower's own batch counts as if it came from another device, where it does
/// on other layouts: so its kernels are the same.
void GraphCut::moveOp(Operation *op) {
  unsigned part = partOf.lookup(op);
  int64_t level = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    Value local = localIn(operand.get(), part, op);
    if (local != operand.get())
      operand.set(local);
    if (Operation *maker = local.getDefiningOp())
      level = std::max(level, isOwnBatch(maker) ? 1 : levels.lookup(maker));
  }
  // As in the kernels' levels. A library makes an AllReduce a transfer.
  if (isa<DebugSleepOp, DebugFailOp, AllReduceOp>(op))
    ++level;
  // It was there to say through which device a value goes.
  if (isa<IdentityOp>(op)) {
    Value source = op->getOperand(0);
    if (!isa<BlockArgument>(source)) {
      forwarded[op->getResult(0)] = source;
      identities.push_back(op);
      return;
    }
  }
  strip(op);
  if (isOwnBatch(op))
    op->setAttr(kLevelAttr, b.getI64IntegerAttr(1));
  op->moveBefore(&parts[part].graph.getBlock(),
                 parts[part].graph.getBlock().end());
  if (level)
    levels[op] = level;
}

void GraphCut::addFetches() {
  ReturnOp ret = graph.getReturn();
  for (auto [i, value] : llvm::enumerate(ret.getValues())) {
    Value source = forwarded.lookup(value);
    if (!source)
      source = value;
    unsigned home = homeOf(source);
    Part &part = parts[home];
    part.fetches.push_back(localIn(source, home, ret));
    part.fetchNames.push_back(graph.getFetchNames()[i]);
    part.fetchTypes.push_back(graph.getFetchTypes()[i]);
    part.fetchOrder.push_back(i);
  }
}

void GraphCut::divide() {
  bool tasksDiffer = llvm::any_of(parts, [&](const Part &part) {
    return !part.name.isInSameTaskAs(parts.front().name);
  });
  ArrayAttr none = b.getArrayAttr({});
  b.clearInsertionPoint();
  for (unsigned index : order) {
    Part &part = parts[index];
    part.graph = GraphOp::create(b, graph.getLoc(), symbolOf(part, tasksDiffer),
                                 none, none, none);
    part.graph.getBody().emplaceBlock();
    symbols.insert(part.graph, Block::iterator(graph));
  }
  addFeeds();
  for (Operation &op :
       llvm::make_early_inc_range(graph.getBlock().without_terminator()))
    if (!isCopied(&op))
      moveOp(&op);
  addFetches();
  graph.getReturn().erase();
  for (Operation *op : llvm::reverse(identities)) {
    op->dropAllUses();
    op->erase();
  }
  for (unsigned index : order) {
    Part &part = parts[index];
    b.setInsertionPointToEnd(&part.graph.getBlock());
    ReturnOp::create(b, graph.getLoc(), part.fetches);
    part.graph.setFeedNamesAttr(b.getArrayAttr(part.feedNames));
    part.graph.setFetchNamesAttr(b.getArrayAttr(part.fetchNames));
    part.graph.setFetchTypesAttr(b.getArrayAttr(part.fetchTypes));
    setAttributes(part);
  }
  markFallbacks();
  numberEdges();
  symbols.erase(graph);
}

LogicalResult GraphCut::run() {
  for (Operation &op : graph.getBlock().without_terminator())
    if (!isCopied(&op) && failed(assignOp(&op)))
      return failure();
  if (failed(assignFeeds()) || failed(assignRest()))
    return failure();
  if (parts.size() == 1) {
    keepWhole();
    return success();
  }
  numberParts();
  divide();
  return success();
}

} // namespace

LogicalResult partitionGraph(GraphOp graph, bool byReplica,
                             SymbolTable &symbols) {
  return GraphCut(graph, byReplica, symbols).run();
}

} // namespace graphc
