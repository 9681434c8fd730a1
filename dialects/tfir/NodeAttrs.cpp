// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage and verification of the attributes of NodeOpInterface: the one place
// that has their names.
#include "dialects/tfir/NodeAttrs.h"

#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/Tfir.h"

using namespace mlir;

namespace graphc::tfir {

/// By NodeAttr.
static constexpr StringLiteral kNames[kNodeAttrs] = {
    "name",       "device",   "colocate_with", "assigned_device", "replica",
    "collective", "fallback", "level",         "for_summary"};

/// Attributes that users may write; the others are the compiler's.
static constexpr NodeAttr kOfSource[] = {NodeAttr::Name, NodeAttr::Device,
                                         NodeAttr::Colocation,
                                         NodeAttr::AssignedDevice};

static StringRef textOf(NodeAttr which) {
  return kNames[static_cast<unsigned>(which)];
}

void TfirDialect::registerNodeAttrs() {
  for (auto [name, text] : llvm::zip(nodeAttrNames, kNames))
    name = StringAttr::get(getContext(), text);
}

static Attribute get(Operation *op, NodeAttr which) {
  if (auto *dialect = dyn_cast_or_null<TfirDialect>(op->getDialect()))
    return op->getDiscardableAttr(dialect->getNodeAttrName(which));
  return op->getDiscardableAttr(textOf(which));
}

static void set(Operation *op, NodeAttr which, Attribute value) {
  assert(isa<NodeOpInterface>(op) && "the op carries no attributes of nodes");
  auto *dialect = dyn_cast_or_null<TfirDialect>(op->getDialect());
  StringAttr name = dialect ? dialect->getNodeAttrName(which)
                            : StringAttr::get(op->getContext(), textOf(which));
  if (value)
    op->setDiscardableAttr(name, value);
  else
    op->removeDiscardableAttr(name);
}

//===-- Accessors ---------------------------------------------------------===//

StringAttr getNodeName(Operation *op) {
  return dyn_cast_if_present<StringAttr>(get(op, NodeAttr::Name));
}
void setNodeName(Operation *op, StringAttr name) {
  set(op, NodeAttr::Name, name);
}

DeviceAttr getRequestedDevice(Operation *op) {
  return dyn_cast_if_present<DeviceAttr>(get(op, NodeAttr::Device));
}
Attribute getRequestedDeviceAttr(Operation *op) {
  return get(op, NodeAttr::Device);
}
void setRequestedDevice(Operation *op, DeviceAttr device) {
  set(op, NodeAttr::Device, device);
}

StringAttr getColocation(Operation *op) {
  return dyn_cast_if_present<StringAttr>(get(op, NodeAttr::Colocation));
}
Attribute getColocationAttr(Operation *op) {
  return get(op, NodeAttr::Colocation);
}
void setColocation(Operation *op, Attribute names) {
  set(op, NodeAttr::Colocation, names);
}

DeviceAttr getAssignedDevice(Operation *op) {
  return dyn_cast_if_present<DeviceAttr>(get(op, NodeAttr::AssignedDevice));
}
Attribute getAssignedDeviceAttr(Operation *op) {
  return get(op, NodeAttr::AssignedDevice);
}
void setAssignedDevice(Operation *op, DeviceAttr device) {
  set(op, NodeAttr::AssignedDevice, device);
}

IntegerAttr getTower(Operation *op) {
  // The state of a step has the tower as an attribute of its own.
  if (auto state = dyn_cast<StepStateOp>(op))
    return state.getReplicaAttr();
  return dyn_cast_if_present<IntegerAttr>(get(op, NodeAttr::Tower));
}
void setTower(Operation *op, IntegerAttr tower) {
  set(op, NodeAttr::Tower, tower);
}

IntegerAttr getCollective(Operation *op) {
  return dyn_cast_if_present<IntegerAttr>(get(op, NodeAttr::Collective));
}
void setCollective(Operation *op, IntegerAttr collective) {
  set(op, NodeAttr::Collective, collective);
}

bool isFallback(Operation *op) {
  return static_cast<bool>(get(op, NodeAttr::Fallback));
}
void setFallback(Operation *op) {
  set(op, NodeAttr::Fallback, UnitAttr::get(op->getContext()));
}

bool isForSummary(Operation *op) {
  return static_cast<bool>(get(op, NodeAttr::ForSummary));
}
void setForSummary(Operation *op) {
  set(op, NodeAttr::ForSummary, UnitAttr::get(op->getContext()));
}

IntegerAttr getDependencyLevel(Operation *op) {
  if (auto recv = dyn_cast<RecvOp>(op))
    return recv.getLevelAttr();
  return dyn_cast_if_present<IntegerAttr>(get(op, NodeAttr::Level));
}
void setDependencyLevel(Operation *op, IntegerAttr level) {
  if (auto recv = dyn_cast<RecvOp>(op))
    return recv.setLevelAttr(level);
  set(op, NodeAttr::Level, level);
}

//===-- Several attributes ------------------------------------------------===//

static bool isOneOf(StringRef name, ArrayRef<NodeAttr> attrs) {
  return llvm::any_of(attrs,
                      [&](NodeAttr which) { return textOf(which) == name; });
}

void removePlacement(Operation *op) {
  SmallVector<NamedAttribute, 4> kept;
  for (NamedAttribute attr : op->getDiscardableAttrs())
    if (!isOneOf(attr.getName(), {NodeAttr::Device, NodeAttr::Colocation,
                                  NodeAttr::AssignedDevice}))
      kept.push_back(attr);
  op->setDiscardableAttrs(DictionaryAttr::get(op->getContext(), kept));
}

void copyNodeAttrs(Operation *from, Operation *to) {
  to->setDiscardableAttrs(from->getDiscardableAttrDictionary());
}

DictionaryAttr attrsWithoutRequests(Operation *op) {
  NamedAttrList attrs(op->getAttrDictionary());
  for (NodeAttr which :
       {NodeAttr::Name, NodeAttr::Device, NodeAttr::Colocation})
    attrs.erase(textOf(which));
  return attrs.getDictionary(op->getContext());
}

SmallVector<StringRef> sourceNodeAttrNames() {
  return llvm::map_to_vector(kOfSource, textOf);
}

bool isNodeAttr(StringRef name) { return llvm::is_contained(kNames, name); }

ArrayRef<StringRef> VariableOp::getCompilerAttrNames() {
  static constexpr StringRef kAll[] = {"mirror_of", "part_of", "part_row",
                                       "scratch"};
  return kAll;
}

ArrayRef<StringRef> DatasetOp::getCompilerAttrNames() {
  static constexpr StringRef kAll[] = {"batch_of_worker", "per_worker"};
  return kAll;
}

ArrayRef<StringRef> GraphOp::getCompilerAttrNames() {
  static constexpr StringRef kAll[] = {
      "replicas",     "split_feeds", "split_fetches",
      "feed_devices", "instance",    "partition_of",
      "feed_order",   "fetch_order", "summaries"};
  return kAll;
}

StringRef findCompilerAttr(Operation *op) {
  auto node = dyn_cast<NodeOpInterface>(op);
  if (!node)
    return {};
  for (NamedAttribute attr : op->getDiscardableAttrs())
    if (StringRef name = attr.getName();
        isPipelineAttr(name) || (isNodeAttr(name) && !isOneOf(name, kOfSource)))
      return name;
  for (StringRef name : node.getCompilerAttrNames())
    if (op->hasAttr(name))
      return name;
  return {};
}

//===-- Verification ------------------------------------------------------===//

/// A device, or the text of one.
static bool isDevice(Attribute attr) {
  return isa<DeviceAttr, StringAttr>(attr);
}

/// A name, or a list of names.
static bool isNames(Attribute attr) {
  auto list = dyn_cast<ArrayAttr>(attr);
  return isa<StringAttr>(attr) ||
         (list && llvm::all_of(list, llvm::IsaPred<StringAttr>));
}

static bool isNumber(Attribute attr) {
  auto number = dyn_cast<IntegerAttr>(attr);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= 0;
}

/// Expected value of the attribute where it has another one; empty: it is
/// right.
static StringRef expectedFor(NodeAttr which, Attribute value) {
  switch (which) {
  case NodeAttr::Name: // (C1)
    return isa<StringAttr>(value) ? "" : "a string such as \"loss\"";
  case NodeAttr::Device: // (C2)
    return isDevice(value) ? "" : "a string such as \"/gpu:0\"";
  case NodeAttr::AssignedDevice:
    return isDevice(value) ? ""
                           : "a device such as #tfir.device<\"/device:GPU:0\">";
  case NodeAttr::Colocation: // (C3)
    return isNames(value)
               ? ""
               : "the name of an op or a variable, such as \"fc1/weights\"";
  case NodeAttr::Tower: // (C4)
  case NodeAttr::Collective:
  case NodeAttr::Level:
    return isNumber(value) ? "" : "a number from 0, such as 3 : i64";
  case NodeAttr::Fallback: // (C5)
  case NodeAttr::ForSummary:
    return isa<UnitAttr>(value) ? "" : "no value";
  }
  llvm_unreachable("unknown attribute");
}

LogicalResult verifyNode(Operation *op) {
  for (NamedAttribute attr : op->getDiscardableAttrs()) {
    const StringLiteral *name = llvm::find(kNames, attr.getName().getValue());
    if (name == std::end(kNames))
      continue;
    auto which = static_cast<NodeAttr>(name - std::begin(kNames));
    StringRef expected = expectedFor(which, attr.getValue());
    if (!expected.empty())
      return op->emitOpError() << "has " << attr.getValue() << " as '" << *name
                               << "', expected " << expected;
  }
  return success();
}

//===-- NodeAttrList ------------------------------------------------------===//

NodeAttrList::NodeAttrList(Operation *like)
    : context(like->getContext()), attrs(like->getDiscardableAttrDictionary()) {
}

StringAttr NodeAttrList::getName() const {
  return dyn_cast_if_present<StringAttr>(attrs.get(textOf(NodeAttr::Name)));
}

StringAttr NodeAttrList::getColocation() const {
  return dyn_cast_if_present<StringAttr>(
      attrs.get(textOf(NodeAttr::Colocation)));
}

void NodeAttrList::setName(StringAttr name) {
  attrs.set(textOf(NodeAttr::Name), name);
}

void NodeAttrList::setColocation(StringAttr name) {
  attrs.set(textOf(NodeAttr::Colocation), name);
}

void NodeAttrList::setRequestedDevice(DeviceAttr device) {
  attrs.set(textOf(NodeAttr::Device), device);
}

void NodeAttrList::setTower(IntegerAttr tower) {
  attrs.set(textOf(NodeAttr::Tower), tower);
}

DictionaryAttr NodeAttrList::getDictionary() const {
  return attrs.getDictionary(context);
}

} // namespace graphc::tfir
