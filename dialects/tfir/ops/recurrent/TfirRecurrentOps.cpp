// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells of recurrent networks, written with products of joined operands.
#include "dialects/tfir/ops/recurrent/TfirRecurrentOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirRecurrentOps.cpp.inc"

namespace {

bool differ(int64_t x, int64_t y) {
  return !ShapedType::isDynamic(x) && !ShapedType::isDynamic(y) && x != y;
}

/// The sizes of a cell, as far as its operands tell them.
struct Sizes {
  Operation *op;
  int64_t rows = ShapedType::kDynamic;
  int64_t inputs = ShapedType::kDynamic;
  int64_t units = ShapedType::kDynamic;

  /// Takes the rows of an operand; gives its columns.
  FailureOr<int64_t> matrix(StringRef name, Value value) {
    RankedTensorType type = tensorType(value);
    if (type.getRank() != 2)
      return op->emitOpError()
             << "'" << name << "' has type " << type
             << ", expected a matrix with a row for each example";
    if (differ(rows, type.getDimSize(0)))
      return op->emitOpError()
             << "'" << name << "' has type " << type << ", but " << rows
             << " rows are in the operands before it";
    if (ShapedType::isDynamic(rows))
      rows = type.getDimSize(0);
    return type.getDimSize(1);
  }

  /// Checks weights or biases: [inputs + units, parts * units] without the
  /// first dimension for biases.
  LogicalResult weights(StringRef name, Value value, int64_t parts,
                        bool isBias = false) {
    RankedTensorType type = tensorType(value);
    SmallVector<int64_t> shape;
    bool isKnown =
        !ShapedType::isDynamic(inputs) && !ShapedType::isDynamic(units);
    if (!isBias)
      shape.push_back(isKnown ? inputs + units : ShapedType::kDynamic);
    shape.push_back(ShapedType::isDynamic(units) ? units : parts * units);
    if (succeeded(verifyCompatibleShape(type.getShape(), shape)))
      return success();
    InFlightDiagnostic error = op->emitOpError()
                               << "'" << name << "' has type " << type
                               << ", expected " << type.clone(shape) << ": ";
    StringRef what = isBias ? "number" : "column";
    if (!isBias)
      error << "rows for each column of 'x' and of 'h', and ";
    if (parts == 1)
      return error << "one " << what << " per unit";
    return error << parts << " " << what << "s per unit";
  }

  RankedTensorType state() const {
    return RankedTensorType::get({rows, units},
                                 Float32Type::get(op->getContext()));
  }
};

/// Writes the steps of one cell.
struct CellExpr : OpExpr {
  CellExpr(OpBuilder &builder, Location at) : OpExpr{builder, at} {}

  /// x and h side by side, times weights.
  Value product(Value x, Value h, Value w, Value bias) {
    Value joined = ArrangeExpr{b, loc}.concat({x, h}, 1);
    auto type = tensorType(joined).clone(
        {tensorType(x).getDimSize(0), tensorType(w).getDimSize(1)});
    Value made =
        MatMulOp::create(b, loc, type, joined, w, UnitAttr(), UnitAttr());
    return add(made, bias);
  }
  /// The columns of one gate.
  Value gate(Value gates, int64_t number, int64_t units) {
    return ArrangeExpr{b, loc}.sliceAlong(gates, 1, number * units, units);
  }
};

} // namespace

//===-- lstm_cell ---------------------------------------------------------===//

LogicalResult LstmCellOp::inferTypes(SmallVectorImpl<Type> &types) {
  Sizes sizes{*this};
  FailureOr<int64_t> inputs = sizes.matrix("x", getX()); // (C1)
  if (failed(inputs))
    return failure();
  FailureOr<int64_t> c = sizes.matrix("c", getC());
  if (failed(c))
    return failure();
  FailureOr<int64_t> h = sizes.matrix("h", getH());
  if (failed(h))
    return failure();
  if (differ(*c, *h)) // (C2)
    return emitOpError() << "the states 'c' and 'h' have " << *c << " and "
                         << *h << " units, expected one number";
  sizes.inputs = *inputs;
  sizes.units = ShapedType::isDynamic(*h) ? *c : *h;
  if (failed(sizes.weights("w", getW(), 4)) ||                // (C3)
      failed(sizes.weights("b", getB(), 4, /*isBias=*/true))) // (C4)
    return failure();
  types.append(2, sizes.state());
  return success();
}

Results LstmCellOp::decompose(OpBuilder &b) {
  CellExpr e{b, getLoc()};
  int64_t units = tensorType(getH()).getDimSize(1);
  Value gates = e.product(getX(), getH(), getW(), getB());
  Value input = e.gate(gates, 0, units), candidate = e.gate(gates, 1, units),
        forget = e.gate(gates, 2, units), output = e.gate(gates, 3, units);
  double bias = getForgetBias().convertToDouble();
  if (bias != 0)
    forget = e.shift(forget, bias);
  Value c = e.add(e.mul(e.unary<SigmoidOp>(forget), getC()),
                  e.mul(e.unary<SigmoidOp>(input), e.unary<TanhOp>(candidate)));
  Value h = e.mul(e.unary<SigmoidOp>(output), e.unary<TanhOp>(c));
  return SmallVector<Value>{c, h};
}

//===-- gru_cell ----------------------------------------------------------===//

LogicalResult GruCellOp::inferTypes(SmallVectorImpl<Type> &types) {
  Sizes sizes{*this};
  FailureOr<int64_t> inputs = sizes.matrix("x", getX()); // (C1)
  if (failed(inputs))
    return failure();
  FailureOr<int64_t> units = sizes.matrix("h", getH());
  if (failed(units))
    return failure();
  sizes.inputs = *inputs;
  sizes.units = *units;
  if (failed(sizes.weights("gate_w", getGateW(), 2)) ||                  // (C2)
      failed(sizes.weights("gate_b", getGateB(), 2, /*isBias=*/true)) || // (C3)
      failed(sizes.weights("cand_w", getCandW(), 1)) ||
      failed(sizes.weights("cand_b", getCandB(), 1, /*isBias=*/true)))
    return failure();
  types.push_back(sizes.state());
  return success();
}

Results GruCellOp::decompose(OpBuilder &b) {
  CellExpr e{b, getLoc()};
  int64_t units = tensorType(getH()).getDimSize(1);
  Value gates = e.product(getX(), getH(), getGateW(), getGateB());
  Value reset = e.unary<SigmoidOp>(e.gate(gates, 0, units)),
        update = e.unary<SigmoidOp>(e.gate(gates, 1, units));
  Value candidate = e.unary<TanhOp>(
      e.product(getX(), e.mul(reset, getH()), getCandW(), getCandB()));
  Value rest = e.sub(e.number(update, 1), update);
  return SmallVector<Value>{
      e.add(e.mul(update, getH()), e.mul(rest, candidate))};
}
