// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns ops and feeds to partitions.
#include "lib/partition/GraphCut.h"

using namespace mlir;
using namespace graphc::tfir;
using graphc::runtime::DeviceName;

namespace graphc {

/// The partition of a device, which is made when it is the first time that the
/// device is met.
FailureOr<unsigned> GraphCut::partFor(DeviceAttr device, int64_t replica,
                                      Location loc) {
  auto [it, isNew] = known.try_emplace({device, replica}, parts.size());
  if (!isNew)
    return it->second;
  if (!device.isFull())
    return emitError(loc)
           << "'" << device.getText()
           << "' leaves a part of the device open; an assigned device has all "
              "of them, as '"
           << localCpu().toString() << "' does";
  Part part;
  part.device = device;
  part.replica = replica;
  parts.push_back(std::move(part));
  return it->second;
}

LogicalResult GraphCut::assignOp(Operation *op) {
  auto device = getAssignedDevice(op);
  if (!device)
    return op->emitOpError()
           << "has no 'assigned_device'; run tfir-place before tfir-partition";
  int64_t replica = kShared;
  StringRef variable;
  if (auto read = dyn_cast<ReadOp>(op))
    variable = read.getVariable();
  else if (auto assign = dyn_cast<AssignOp>(op))
    variable = assign.getVariable();
  else if (auto number = getTower(op); number && byReplica)
    replica = number.getInt();
  // A variable is used by one partition of each graph: there, program order is
  // all that keeps a read before the write.
  if (!variable.empty()) {
    Operation *declared = symbols.lookup(variable);
    auto home = declared ? getAssignedDevice(declared) : DeviceAttr();
    if (home && home != device) {
      InFlightDiagnostic error = op->emitOpError()
                                 << "is on " << device.getText()
                                 << ", but the variable '" << variable
                                 << "' is on " << home.getText()
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
                                         DeviceAttr wanted) {
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
  DeviceName host = localCpu();
  DeviceAttr first;
  for (const Part &part : parts)
    if (!first || part.device.getDeviceName() < first.getDeviceName())
      first = part.device;
  if (first)
    host = first.getDeviceName().hostDevice();
  return partFor(DeviceAttr::get(b.getContext(), host), kShared, feed.getLoc());
}

LogicalResult GraphCut::assignFeeds() {
  ArrayAttr wanted = graph.getFeedDevicesAttr();
  unsigned count = graph.getBlock().getNumArguments();
  if (wanted && wanted.size() != count)
    return graph.emitOpError()
           << "has the attribute 'feed_devices', which does "
              "not name one device for each of its "
           << count << " feeds";
  for (BlockArgument feed : graph.getBlock().getArguments()) {
    FailureOr<unsigned> part =
        partOfFeed(feed, wanted ? cast<DeviceAttr>(wanted[feed.getArgNumber()])
                                : DeviceAttr());
    if (failed(part))
      return failure();
    feedParts.push_back(*part);
  }
  return success();
}

/// Assigns copied ops that are fetched; only these have a place of their own.
LogicalResult GraphCut::assignRest() {
  for (Value value : graph.getReturn().getValues()) {
    Operation *op = value.getDefiningOp();
    if (!isCopied(op) || partOf.count(op))
      continue;
    auto device = getAssignedDevice(op);
    bool isKnown = device && known.count({device, kShared});
    if (parts.empty() || isKnown) {
      if (failed(assignOp(op)))
        return failure();
    } else {
      partOf[op] = 0;
    }
  }
  if (parts.empty())
    return partFor(DeviceAttr::get(b.getContext(), localCpu()), kShared,
                   graph.getLoc());
  return success();
}

void GraphCut::numberParts() {
  order.resize(parts.size());
  for (unsigned i = 0; i < parts.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](unsigned x, unsigned y) {
    if (parts[x].device != parts[y].device)
      return parts[x].device.getDeviceName() < parts[y].device.getDeviceName();
    return parts[x].replica < parts[y].replica;
  });
  for (auto [number, index] : llvm::enumerate(order))
    parts[index].number = number;
}

} // namespace graphc
