// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which partition each op and each feed belongs to.
#include "lib/partition/GraphCut.h"

using namespace mlir;
using namespace graphc::tfir;
using graphc::runtime::DeviceName;

namespace graphc {

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

} // namespace graphc
