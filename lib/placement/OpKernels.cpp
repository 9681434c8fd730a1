// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/OpKernels.h"

#include "mlir/IR/TypeUtilities.h"
#include "runtime/base/Suggest.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// As kernel tables name it.
std::string elementTypeName(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<StringType>(element))
    return "string";
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

/// Each once, by name.
std::vector<std::string> elementTypes(Operation *op) {
  std::set<std::string> names;
  for (Type type : op->getOperandTypes())
    names.insert(elementTypeName(type));
  for (Type type : op->getResultTypes())
    names.insert(elementTypeName(type));
  return {names.begin(), names.end()};
}

/// A kind with a kernel that gives it no priority.
std::vector<KernelKind> plainKinds(ArrayRef<StringRef> types) {
  std::vector<KernelKind> kinds;
  for (StringRef type : types)
    kinds.push_back({type.str(), std::nullopt});
  llvm::sort(kinds, [](const KernelKind &a, const KernelKind &b) {
    return a.type < b.type;
  });
  return kinds;
}

SmallVector<StringRef> kindsOfOwnOp(Operation *op) {
  // As TensorFlow's kernels of variables: there is arithmetic with whole
  // numbers on a GPU, but no variable of them.
  if (auto variable = dyn_cast<VariableOp>(op)) {
    if (isa<FloatType>(variable.getTensorType().getElementType()))
      return {"GPU", "CPU"};
    return {"CPU"};
  }
  if (isa<NextOp>(op))
    return {"CPU"};
  if (auto placeable = dyn_cast<Placeable>(op))
    return placeable.deviceKinds();
  return {"GPU", "CPU"};
}

InFlightDiagnostic missingKernel(const PlacementNode &node,
                                 const PlacementProblem &problem) {
  std::set<std::string> types;
  for (const TargetDevice &device : problem.devices->devices())
    types.insert(device.type);
  InFlightDiagnostic error = node.op->emitOpError();
  error << "'" << node.name << "' (" << node.kind << ") has no kernel for "
        << elementTypesText(node.op) << " on any device to compile for, which "
        << "are of the kinds "
        << runtime::quotedList({types.begin(), types.end()}) << "; ";
  if (!isa<CustomOp>(node.op))
    return std::move(error << "its kernels are for "
                           << kindsText(kernelKinds(node.op, *problem.kernels))
                           << "; add such a device");
  return std::move(error << "registered are: "
                         << problem.kernels->describe(node.kind) << " ("
                         << problem.kernels->place(node.kind)
                         << "); add an entry there, or such a device");
}

} // namespace

std::vector<KernelKind> kernelKinds(Operation *op, const KernelTable &table) {
  auto custom = dyn_cast<CustomOp>(op);
  if (!custom)
    return plainKinds(kindsOfOwnOp(op));
  std::vector<std::string> names = elementTypes(op);
  SmallVector<StringRef> dtypes(names.begin(), names.end());
  return table.find(custom.getOp(), dtypes);
}

std::string kindsText(const std::vector<KernelKind> &kinds) {
  if (kinds.empty())
    return "no device";
  return llvm::join(
      llvm::map_range(kinds, [](const KernelKind &kind) { return kind.type; }),
      ", ");
}

std::string elementTypesText(Operation *op) {
  if (auto variable = dyn_cast<VariableOp>(op))
    return elementTypeName(variable.getTensorType());
  std::vector<std::string> names = elementTypes(op);
  return names.empty() ? "no operands" : llvm::join(names, ", ");
}

OpKernels::OpKernels(PlacementProblem &problem) : problem(problem) {
  problem.priorityLists.assign(1, {});
}

/// The entry for these kinds, made when it is new.
const OpKernels::Entry &OpKernels::entryFor(std::vector<KernelKind> kinds) {
  for (const Entry &entry : entries)
    if (entry.kinds == kinds)
      return entry;
  const DeviceSet &devices = *problem.devices;
  llvm::BitVector mask(devices.size());
  bool hasPriority = false;
  for (const KernelKind &kind : kinds) {
    hasPriority |= kind.priority.has_value();
    for (size_t i = 0; i < devices.size(); ++i)
      if (devices[i].type == kind.type)
        mask.set(i);
  }
  uint32_t priorities = 0;
  if (hasPriority) {
    priorities = problem.priorityLists.size();
    problem.priorityLists.push_back(kinds);
  }
  uint32_t number = problem.masks.intern(mask);
  entries.push_back({std::move(kinds), number, priorities});
  return entries.back();
}

const OpKernels::Entry &OpKernels::entryOf(Operation *op) {
  if (isa<CustomOp>(op))
    return entryFor(kernelKinds(op, *problem.kernels));
  SmallVector<StringRef> kinds = kindsOfOwnOp(op);
  // The common case, without any text.
  for (const Entry &entry : entries) {
    bool isSame = entry.kinds.size() == kinds.size() && !entry.priorities;
    for (const KernelKind &kind : entry.kinds)
      isSame &= llvm::is_contained(kinds, kind.type);
    if (isSame)
      return entry;
  }
  return entryFor(plainKinds(kinds));
}

LogicalResult OpKernels::read(PlacementNode &node) {
  if (!node.op)
    return success(); // a feed can be anywhere
  if (auto custom = dyn_cast<CustomOp>(node.op))
    if (!problem.kernels->knows(custom.getOp()))
      return node.op->emitOpError()
             << "'" << node.name << "' is of the kind '" << custom.getOp()
             << "', of which nothing is known; describe it in the file of "
                "--kernels, such as [{\"op\": \""
             << custom.getOp() << "\", \"devices\": [\"CPU\"]}]";
  const Entry &entry = entryOf(node.op);
  if (problem.masks.isEmpty(entry.mask))
    return missingKernel(node, problem);
  node.kernels = entry.mask;
  node.priorities = entry.priorities;
  return success();
}

} // namespace graphc
