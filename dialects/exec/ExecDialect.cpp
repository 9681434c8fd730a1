// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the dialect.
#include "dialects/exec/Exec.h"

#include "mlir/IR/DialectImplementation.h"
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
