// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates of a variable's rows: checks, and the values that they stand for.
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Verify.h"
#include "dialects/tfir/gather/StableOrder.h"
#include "dialects/tfir/gather/TfirGatherOps.h"
#include "dialects/tfir/gather/TfirScatterOps.h"
#include "dialects/tfir/ops/OpExpr.h"

using namespace mlir;
using namespace graphc::tfir;

namespace {

template <typename Op>
Value make(OpBuilder &b, Location loc, Value ref, Value indices,
           Value updates) {
  return Op::create(b, loc, ref.getType(), ref, indices, updates);
}

/// The op of values that an update is written with.
struct Combine {
  StringLiteral name;
  Value (*make)(OpBuilder &, Location, Value ref, Value indices, Value updates);
};

constexpr Combine kCombines[] = {
    {"update", make<ScatterUpdateOp>}, {"add", make<ScatterAddOp>},
    {"sub", make<ScatterSubOp>},       {"mul", make<ScatterMulOp>},
    {"div", make<ScatterDivOp>},       {"min", make<ScatterMinOp>},
    {"max", make<ScatterMaxOp>}};

const Combine *findCombine(StringRef name) {
  const auto *found = llvm::find_if(
      kCombines, [&](const Combine &each) { return each.name == name; });
  return found == std::end(kCombines) ? nullptr : found;
}

/// Rows, and their indices: with `nd` those of a table of all places that
/// coordinates have.
struct Rows {
  RankedTensorType table;
  Value indices;
};

Rows rowsOf(AssignRowsOp op, OpBuilder &b, RankedTensorType variable) {
  if (!op.getNd())
    return {variable, op.getIndices()};
  int64_t count = tensorType(op.getIndices()).getShape().back();
  ArrayRef<int64_t> sizes = variable.getShape().take_front(count);
  SmallVector<int64_t> shape{ShapedType::getNumElements(sizes)};
  llvm::append_range(shape, variable.getShape().drop_front(count));
  return {variable.clone(shape),
          rowsOfPlaces(b, op.getLoc(), op.getIndices(), sizes)};
}

Value inShapeOf(OpBuilder &b, Location loc, Value value,
                RankedTensorType type) {
  return value.getType() == type ? value
                                 : ReshapeOp::create(b, loc, type, value);
}

} // namespace

//===-- Access and checks -------------------------------------------------===//

SmallVector<FlatSymbolRefAttr> AssignRowsOp::getVariables() {
  return {getVariableAttr()};
}
void AssignRowsOp::setVariables(ArrayRef<FlatSymbolRefAttr> variables) {
  setVariableAttr(variables[0]);
}

LogicalResult AssignRowsOp::verify() {
  if (!findCombine(getCombine())) { // (C4)
    InFlightDiagnostic error = emitOpError() << "combine is '" << getCombine()
                                             << "', expected one of ";
    llvm::interleaveComma(kCombines, error, [&](const Combine &each) {
      error << "'" << each.name << "'";
    });
    return error;
  }
  RankedTensorType ids = tensorType(getIndices());
  if (ids.hasStaticShape() && ids.getNumElements() > kMaxSorted) // (C3)
    return emitOpError() << "has " << ids.getNumElements()
                         << " indices, at most " << kMaxSorted
                         << " are possible; split them";
  return success();
}

LogicalResult AssignRowsOp::verifyVariable(RankedTensorType type) {
  RankedTensorType ids = tensorType(getIndices());
  RankedTensorType updates = tensorType(getUpdates());
  if (type.getRank() == 0) // (C1)
    return emitOpError() << "updates rows of '" << getVariable()
                         << "', which is a " << type
                         << " without a dimension that indices count along; "
                            "assign it as a whole";
  int64_t count = 1;
  SmallVector<int64_t> want(ids.getShape());
  if (getNd()) {
    FailureOr<int64_t> coordinates =
        countCoordinates(*this, ids, type.getRank(), "the variable has");
    if (failed(coordinates))
      return failure();
    count = *coordinates;
    want.pop_back();
  }
  llvm::append_range(want, type.getShape().drop_front(count));
  if (updates.getElementType() == type.getElementType() &&
      succeeded(verifyCompatibleShape(want, updates.getShape()))) // (C2)
    return success();
  return emitOpError() << "updates have type " << updates << ", but '"
                       << getVariable() << "' and the indices ask for "
                       << type.clone(want);
}

LogicalResult AssignRowsOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto variable =
      tables.lookupNearestSymbolFrom<VariableOp>(*this, getVariableAttr());
  if (!variable) // (C1)
    return emitOpError() << "names no variable: '" << getVariable()
                         << "' is not declared; declare it with tfir.variable";
  if (failed(verifyInGraph(*this)))
    return failure();
  return verifyVariable(variable.getTensorType());
}

//===-- Values ------------------------------------------------------------===//

Value AssignRowsOp::buildValue(OpBuilder &b, Value old) {
  Rows rows = rowsOf(*this, b, tensorType(old));
  Value next = findCombine(getCombine())
                   ->make(b, getLoc(), inShapeOf(b, getLoc(), old, rows.table),
                          rows.indices, getUpdates());
  return inShapeOf(b, getLoc(), next, tensorType(old));
}

Value AssignRowsOp::buildSum(OpBuilder &b, RankedTensorType type) {
  Rows rows = rowsOf(*this, b, type);
  Value sum =
      UnsortedSegmentSumOp::create(b, getLoc(), rows.table, getUpdates(),
                                   rows.indices, rows.table.getDimSize(0));
  return inShapeOf(b, getLoc(), sum, type);
}
