// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells of recurrent networks, written with products of joined operands.
#include "dialects/tfir/ops/recurrent/TfirRecurrentOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/OperandSegments.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/TfirActivationOps.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

/// `%x, %c, %h, %w, %b, %wf, %wi, %wo, %proj`, without some of the last four.
static ParseResult parseLstmCell(OpAsmParser &parser, OperationState &state) {
  if (parseCallForm(parser, state))
    return failure();
  if (state.attributes.get(kOperandSegments))
    return success();
  size_t count = state.operands.size();
  int32_t diagonals = count >= 8, projections = count == 6 || count == 9;
  if (count != 5u + 3 * diagonals + projections)
    return parser.emitError(parser.getNameLoc())
           << "'tfir.lstm_cell' op has " << count
           << " operands, expected 5, behind which 3 for peepholes and 1 for a "
              "projection may stand";
  SmallVector<int32_t> sizes(5, 1);
  sizes.append(3, diagonals);
  sizes.push_back(projections);
  state.addAttribute(kOperandSegments,
                     parser.getBuilder().getDenseI32ArrayAttr(sizes));
  return success();
}

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
  int64_t outputs = ShapedType::kDynamic; ///< columns of the state 'h'

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

  /// Checks weights or biases: [inputs + outputs, parts * units] without the
  /// first dimension for biases.
  LogicalResult weights(StringRef name, Value value, int64_t parts,
                        bool isBias = false) {
    RankedTensorType type = tensorType(value);
    SmallVector<int64_t> shape;
    bool isKnown =
        !ShapedType::isDynamic(inputs) && !ShapedType::isDynamic(outputs);
    if (!isBias)
      shape.push_back(isKnown ? inputs + outputs : ShapedType::kDynamic);
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

  /// Checks the weights of a projection: [units, outputs].
  LogicalResult projection(Value value) {
    RankedTensorType type = tensorType(value);
    SmallVector<int64_t> shape = {units, outputs};
    if (succeeded(verifyCompatibleShape(type.getShape(), shape)))
      return success();
    return op->emitOpError()
           << "'w_proj' has type " << type << ", expected " << type.clone(shape)
           << ": a row per unit, that is for each column of 'c', and a column "
              "for each of 'h'";
  }

  RankedTensorType state(int64_t columns) const {
    return RankedTensorType::get(
        {rows, columns}, tensorType(op->getOperand(0)).getElementType());
  }
};

/// Writes the steps of one cell.
struct CellExpr : OpExpr {
  CellExpr(OpBuilder &builder, Location at) : OpExpr{builder, at} {}

  /// x and h side by side, times weights.
  Value product(Value x, Value h, Value w, Value bias) {
    return add(matmul(ArrangeExpr{b, loc}.concat({x, h}, 1), w), bias);
  }
  Value matmul(Value x, Value w) {
    auto type = tensorType(x).clone(
        {tensorType(x).getDimSize(0), tensorType(w).getDimSize(1)});
    return MatMulOp::create(b, loc, type, x, w, UnitAttr(), UnitAttr());
  }
  /// The columns of one gate.
  Value gate(Value gates, int64_t number, int64_t units) {
    return ArrangeExpr{b, loc}.sliceAlong(gates, 1, number * units, units);
  }
  /// A gate that sees the state through a peephole, if there is one.
  Value peep(Value gate, Value diagonal, Value state) {
    return diagonal ? add(gate, mul(diagonal, state)) : gate;
  }
  /// x in [-bound, bound]; all of it without a bound.
  Value clip(Value x, std::optional<APFloat> bound) {
    if (!bound)
      return x;
    double number = bound->convertToDouble();
    return ClipByValueOp::create(b, loc, x.getType(), x,
                                 this->number(x, -number),
                                 this->number(x, number));
  }
};

} // namespace

//===-- lstm_cell ---------------------------------------------------------===//

/// Checks a bound of values, which may be missing.
static LogicalResult verifyClip(Operation *op, StringRef name,
                                std::optional<APFloat> bound) {
  if (!bound || bound->convertToDouble() > 0)
    return success();
  return op->emitOpError() << "'" << name << "' is " << bound->convertToDouble()
                           << ", expected more than 0";
}

/// Checks that the peepholes are there together, each a number per unit.
static LogicalResult verifyPeepholes(LstmCellOp op, Sizes &sizes) {
  std::pair<StringRef, Value> diagonals[] = {{"w_f_diag", op.getWFDiag()},
                                             {"w_i_diag", op.getWIDiag()},
                                             {"w_o_diag", op.getWODiag()}};
  StringRef given, missing;
  for (auto [name, value] : diagonals)
    (value ? given : missing) = name;
  if (!given.empty() && !missing.empty())
    return op.emitOpError()
           << "'" << given << "' is given without '" << missing
           << "'; a cell with peepholes has 'w_f_diag', 'w_i_diag' and "
              "'w_o_diag'";
  for (auto [name, value] : diagonals)
    if (value && failed(sizes.weights(name, value, 1, /*isBias=*/true)))
      return failure();
  return success();
}

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
  if (!getWProj() && differ(*c, *h)) // (C2)
    return emitOpError() << "the states 'c' and 'h' have " << *c << " and "
                         << *h << " units, expected one number";
  sizes.inputs = *inputs;
  sizes.units = *c;
  sizes.outputs = *h;
  if (getWProj()) {
    // The projection may tell sizes that the states do not tell yet.
    RankedTensorType type = tensorType(getWProj());
    if (type.getRank() == 2 && ShapedType::isDynamic(*c))
      sizes.units = type.getDimSize(0);
    if (type.getRank() == 2 && ShapedType::isDynamic(*h))
      sizes.outputs = type.getDimSize(1);
  } else {
    sizes.units = sizes.outputs = ShapedType::isDynamic(*h) ? *c : *h;
  }
  if (failed(sizes.weights("w", getW(), 4)) ||                  // (C3)
      failed(sizes.weights("b", getB(), 4, /*isBias=*/true)) || // (C4)
      failed(verifyPeepholes(*this, sizes)) ||                  // (C5)
      (getWProj() && failed(sizes.projection(getWProj()))) ||   // (C6)
      failed(verifyClip(*this, "cell_clip", getCellClip())) ||  // (C7)
      failed(verifyClip(*this, "proj_clip", getProjClip())))    // (C8)
    return failure();
  if (getProjClip() && !getWProj())
    return emitOpError() << "'proj_clip' bounds a projection, but there is no "
                            "'w_proj'";
  types.push_back(sizes.state(sizes.units));
  types.push_back(sizes.state(sizes.outputs));
  return success();
}

Results LstmCellOp::decompose(OpBuilder &b) {
  CellExpr e{b, getLoc()};
  int64_t units = tensorType(getC()).getDimSize(1);
  Value gates = e.product(getX(), getH(), getW(), getB());
  Value input = e.gate(gates, 0, units), candidate = e.gate(gates, 1, units),
        forget = e.gate(gates, 2, units), output = e.gate(gates, 3, units);
  double bias = getForgetBias().convertToDouble();
  if (bias != 0)
    forget = e.shift(forget, bias);
  forget = e.peep(forget, getWFDiag(), getC());
  input = e.peep(input, getWIDiag(), getC());
  Value c = e.add(e.mul(e.unary<SigmoidOp>(forget), getC()),
                  e.mul(e.unary<SigmoidOp>(input), e.unary<TanhOp>(candidate)));
  c = e.clip(c, getCellClip());
  output = e.peep(output, getWODiag(), c);
  Value h = e.mul(e.unary<SigmoidOp>(output), e.unary<TanhOp>(c));
  if (getWProj())
    h = e.clip(e.matmul(h, getWProj()), getProjClip());
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
  sizes.units = sizes.outputs = *units;
  if (failed(sizes.weights("gate_w", getGateW(), 2)) ||                  // (C2)
      failed(sizes.weights("gate_b", getGateB(), 2, /*isBias=*/true)) || // (C3)
      failed(sizes.weights("cand_w", getCandW(), 1)) ||
      failed(sizes.weights("cand_b", getCandB(), 1, /*isBias=*/true)))
    return failure();
  types.push_back(sizes.state(*units));
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
