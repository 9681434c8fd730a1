// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of devices, budgets, sums over devices and debug ops; custom ops
// and transfers need no code.
#include "dialects/tfir/Tfir.h"
#include "runtime/base/DeviceName.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace graphc::tfir;
using graphc::runtime::DeviceName;

//===-- The table of devices ----------------------------------------------===//

static ParseResult parseDeviceEntry(OpAsmParser &parser,
                                    SmallVector<Attribute> &entries) {
  DeviceAttr device;
  int64_t priority = 0, memory = 0;
  if (failed(parseDeviceText(parser, device)) ||
      failed(parser.parseKeyword("priority")) ||
      failed(parser.parseInteger(priority)) ||
      (succeeded(parser.parseOptionalKeyword("memory")) &&
       failed(parser.parseInteger(memory))))
    return failure();
  bool implied = succeeded(parser.parseOptionalKeyword("implied"));
  entries.push_back(DeviceEntryAttr::get(parser.getContext(), device, priority,
                                         memory, implied));
  return success();
}

ParseResult graphc::tfir::parseDeviceEntries(OpAsmParser &parser,
                                             ArrayAttr &entries) {
  SmallVector<Attribute> parsed;
  if (failed(
          parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
            return parseDeviceEntry(parser, parsed);
          })))
    return failure();
  entries = ArrayAttr::get(parser.getContext(), parsed);
  return success();
}

void graphc::tfir::printDeviceEntries(OpAsmPrinter &printer, Operation *,
                                      ArrayAttr entries) {
  printer << "[";
  printer.increaseIndent();
  llvm::interleave(
      entries.getAsRange<DeviceEntryAttr>(),
      [&](DeviceEntryAttr entry) {
        printer.printNewline();
        printDeviceText(printer, entry.getDevice());
        printer << " priority " << entry.getPriority();
        if (entry.getMemory())
          printer << " memory " << entry.getMemory();
        if (entry.getImplied())
          printer << " implied";
      },
      [&] { printer << ","; });
  printer.decreaseIndent();
  printer.printNewline();
  printer << "]";
}

LogicalResult DevicesOp::verify() {
  const DeviceName &task = getClient().getDeviceName();
  if (!task.job || !task.replica || !task.task || task.type || task.id) // (C1)
    return emitOpError() << "has the client '" << getClient().getText()
                         << "', expected a task such as "
                            "'/job:worker/replica:0/task:0'";
  llvm::DenseSet<Attribute> known;
  for (auto entry : getEntries().getAsRange<DeviceEntryAttr>()) {
    DeviceAttr device = entry.getDevice();
    if (!device.isFull()) // (C2)
      return emitOpError() << "has the device '" << device.getText()
                           << "', which leaves parts open";
    if (!known.insert(device).second)
      return emitOpError() << "has the device '" << device.getText()
                           << "' twice";
    if (entry.getPriority() < 0 || entry.getMemory() < 0) // (C3)
      return emitOpError() << "has a negative "
                           << (entry.getPriority() < 0 ? "priority" : "limit")
                           << " for '" << device.getText() << "'";
  }
  for (Operation *other = (*this)->getNextNode(); other;
       other = other->getNextNode())
    if (isa<DevicesOp>(other)) // (C4)
      return other->emitOpError() << "is the second table of devices; keep one";
  return success();
}

//===-- Budgets -----------------------------------------------------------===//

ParseResult graphc::tfir::parseBudgetKindText(OpAsmParser &parser,
                                              BudgetKindAttr &kind) {
  std::string text;
  SMLoc at = parser.getCurrentLocation();
  if (failed(parser.parseString(&text)))
    return failure();
  std::optional<BudgetKind> known = symbolizeBudgetKind(text);
  if (!known) // (C1)
    return parser.emitError(at)
           << "bounds '" << text
           << "'; expected \"link\", \"messages\" or \"peak\"";
  kind = BudgetKindAttr::get(parser.getContext(), *known);
  return success();
}

void graphc::tfir::printBudgetKindText(OpAsmPrinter &printer, Operation *,
                                       BudgetKindAttr kind) {
  printer << '"' << stringifyBudgetKind(kind.getValue()) << '"';
}

LogicalResult BudgetOp::verify() {
  if (getKind() == BudgetKind::Peak && getTarget()) // (C1)
    return emitOpError()
           << "bounds the memory of devices, which has no 'to'; name them "
              "with 'from'";
  if (static_cast<int64_t>(getLimit()) < 0) // (C2)
    return emitOpError() << "has the limit " << static_cast<int64_t>(getLimit())
                         << ", expected at least 0";
  return success(); // (C3) is checked where the names are parsed
}

DeviceName BudgetOp::getSourceName() {
  return getSource() ? getSource()->getDeviceName() : DeviceName();
}

DeviceName BudgetOp::getTargetName() {
  return getTarget() ? getTarget()->getDeviceName() : DeviceName();
}

//===-- Sums over devices -------------------------------------------------===//

LogicalResult AllReduceOp::inferTypes(SmallVectorImpl<Type> &types) { // (C1)
  if (getOwn().getType() != getSum().getType())
    return emitOpError() << "has a term of " << getOwn().getType()
                         << " for a sum of " << getSum().getType()
                         << "; expected one type";
  types.push_back(getSum().getType());
  return success();
}

//===-- Debug ops ---------------------------------------------------------===//

LogicalResult DebugSleepOp::verify() {
  constexpr int64_t kDay = 86'400'000;
  auto milliseconds = static_cast<int64_t>(getMilliseconds());
  if (milliseconds >= 0 && milliseconds <= kDay) // (C1)
    return success();
  return emitOpError() << "sleeps " << milliseconds
                       << " milliseconds, expected 0 to " << kDay;
}

LogicalResult DebugSleepOp::inferTypes(SmallVectorImpl<Type> &types) { // (C2)
  types.push_back(getX().getType());
  return success();
}

LogicalResult DebugSleepOp::buildGradient(OpBuilder &, ValueRange gradients,
                                          MutableArrayRef<Value> result) {
  result[0] = gradients[0];
  return success();
}

LogicalResult DebugFailOp::verify() {
  constexpr size_t kLongest = 1000;
  if (!getText().empty() && getText().size() <= kLongest) // (C1)
    return success();
  return emitOpError() << "has a text of " << getText().size()
                       << " characters, expected 1 to " << kLongest;
}

LogicalResult DebugFailOp::inferTypes(SmallVectorImpl<Type> &types) { // (C2)
  types.push_back(getX().getType());
  return success();
}

LogicalResult DebugFailOp::buildGradient(OpBuilder &, ValueRange gradients,
                                         MutableArrayRef<Value> result) {
  result[0] = gradients[0];
  return success();
}
