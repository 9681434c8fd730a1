// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the dialect.
#include "dialects/exec/Exec.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace graphc::exec;

#include "dialects/exec/ExecDialect.cpp.inc"
#include "dialects/exec/ExecEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/exec/ExecTypes.cpp.inc"

void ExecDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/exec/ExecTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/exec/ExecOps.cpp.inc"
      >();
}

//===-- Attributes of ops of other dialects -------------------------------===//

/// True for an i64 from `smallest` on.
static bool isNumber(Attribute attr, int64_t smallest) {
  auto number = dyn_cast<IntegerAttr>(attr);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= smallest;
}

static LogicalResult refuse(Operation *op, NamedAttribute attr,
                            StringRef expected) {
  return op->emitOpError() << "has " << attr.getValue() << " as '"
                           << attr.getName().getValue() << "', expected "
                           << expected;
}

static LogicalResult refuseName(Operation *op, NamedAttribute attr,
                                StringRef place) {
  return op->emitOpError() << "has the attribute '" << attr.getName().getValue()
                           << "', which the dialect exec does not have on "
                           << place;
}

LogicalResult ExecDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName();
  Attribute value = attr.getValue();
  if (name == MemberAttrHelper::getNameStr()) {
    if (isa<ModuleOp>(op) && isNumber(value, 1))
      return success();
    return refuse(op, attr, "a number of workers (i64), on a module");
  }
  if (name == SeparateRoundingAttrHelper::getNameStr()) {
    if (isa<ModuleOp>(op) && isa<UnitAttr>(value))
      return success();
    return refuse(op, attr, "no value, on a module");
  }
  bool isBlock = name == BlockAttrHelper::getNameStr();
  if (isBlock || name == UnitsAttrHelper::getNameStr() ||
      name == ScratchAttrHelper::getNameStr()) {
    if (isa<FunctionOpInterface>(op) && isNumber(value, isBlock))
      return success();
    return refuse(op, attr,
                  isBlock ? "a number from 1 (i64), on a function"
                          : "a number from 0 (i64), on a function");
  }
  return refuseName(op, attr, "ops");
}

LogicalResult ExecDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned,
                                                    NamedAttribute attr) {
  if (attr.getName() != StepStateWordAttrHelper::getNameStr())
    return refuseName(op, attr, "arguments");
  if (isNumber(attr.getValue(), 0))
    return success();
  return refuse(op, attr, "a number from 0 (i64)");
}

LogicalResult ExecDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned,
                                                       NamedAttribute attr) {
  if (attr.getName() != InplaceAttrHelper::getNameStr())
    return refuseName(op, attr, "results");
  if (isNumber(attr.getValue(), 0))
    return success();
  return refuse(op, attr, "a number from 0 (i64)");
}

int64_t graphc::exec::tensorBytes(RankedTensorType type) {
  Type element = type.getElementType();
  if (!element.isIntOrFloat())
    return 0;
  int64_t width = (element.getIntOrFloatBitWidth() + 7) / 8;
  return type.getNumElements() * width;
}

bool graphc::exec::isHostVariant(ProgramOp program) {
  StringRef graph = program.getGraph();
  // "train#host", or "train#host#3" for so many workers.
  graph = graph.substr(0, graph.find(kHostMark) + kHostMark.size());
  return program.getOnHost() && graph.ends_with(kHostMark);
}

int64_t SlotType::getBytes() { return tensorBytes(getTensor()); }
