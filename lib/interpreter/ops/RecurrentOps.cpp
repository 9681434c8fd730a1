// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of recurrent cells: gates unit by unit, as they are defined.
#include "dialects/tfir/ops/recurrent/TfirRecurrentOps.h"
#include "lib/interpreter/Frame.h"

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// One column of weights and its bias, for the rows of inputs and states.
struct Gates {
  const FloatMath &math;
  const Tensor &x, &weights, &bias;

  /// The sum of a gate for one example, whose state is `h`.
  Element sum(int64_t row, ArrayRef<Element> h, int64_t column) const {
    int64_t inputs = x.shape[1];
    std::vector<Element> terms;
    for (int64_t i = 0; i < inputs; ++i)
      terms.push_back(math.mul(x.at({row, i}), weights.at({i, column})));
    for (auto [i, state] : llvm::enumerate(h))
      terms.push_back(math.mul(
          state, weights.at({inputs + static_cast<int64_t>(i), column})));
    return math.add(math.sum(terms), bias.elements[column]);
  }
};

ArrayRef<Element> rowOf(const Tensor &matrix, int64_t row) {
  return ArrayRef(matrix.elements)
      .slice(row * matrix.shape[1], matrix.shape[1]);
}

/// x in [-bound, bound]; all of it without a bound.
Element clip(const FloatMath &math, const Element &x,
             std::optional<APFloat> bound) {
  if (!bound)
    return x;
  Element limit = math.round(Element::exact(bound->convertToDouble()), 1,
                             /*mayBeExact=*/true);
  return math.max(math.min(x, limit), math.neg(limit));
}

/// Each output of one example as the sum over the units, bounded.
Tensor project(LstmCellOp op, const FloatMath &math, const Tensor &units,
               const Tensor &weights) {
  Tensor projected = units;
  projected.shape = {units.shape[0], weights.shape[1]};
  projected.elements.assign(units.shape[0] * weights.shape[1],
                            Element::exact(0));
  forEachIndex(projected.shape, [&](ArrayRef<int64_t> at) {
    std::vector<Element> terms;
    for (auto [unit, value] : llvm::enumerate(rowOf(units, at[0])))
      terms.push_back(
          math.mul(value, weights.at({static_cast<int64_t>(unit), at[1]})));
    projected.at(at) = clip(math, math.sum(terms), op.getProjClip());
  });
  return projected;
}

LogicalResult lstmCell(LstmCellOp op, Frame &frame) {
  const Tensor &h = frame.get(op.getH());
  FloatMath math(h.kind);
  const Tensor &c = frame.get(op.getC());
  Gates gates{math, frame.get(op.getX()), frame.get(op.getW()),
              frame.get(op.getB())};
  Element forgetBias =
      math.round(Element::exact(op.getForgetBias().convertToDouble()), 1,
                 /*mayBeExact=*/true);
  int64_t units = c.shape[1];
  Tensor newC = c, newH = c;
  forEachIndex(c.shape, [&](ArrayRef<int64_t> at) {
    int64_t row = at[0], unit = at[1];
    auto gate = [&](int64_t number) {
      return gates.sum(row, rowOf(h, row), number * units + unit);
    };
    // Through a peephole a gate sees the state.
    auto peep = [&](const Element &sum, Value diagonal, const Element &state) {
      if (!diagonal)
        return sum;
      return math.sum(
          {sum, math.mul(frame.get(diagonal).elements[unit], state)});
    };
    Element old = c.at(at);
    Element forget =
        math.sigmoid(peep(math.add(gate(2), forgetBias), op.getWFDiag(), old));
    Element input = math.sigmoid(peep(gate(0), op.getWIDiag(), old));
    Element added = math.mul(input, math.tanh(gate(1)));
    Element state =
        clip(math, math.sum({math.mul(forget, old), added}), op.getCellClip());
    Element output = math.sigmoid(peep(gate(3), op.getWODiag(), state));
    newC.at(at) = state;
    newH.at(at) = math.mul(output, math.tanh(state));
  });
  if (op.getWProj())
    newH = project(op, math, newH, frame.get(op.getWProj()));
  frame.set(op.getNewC(), std::move(newC));
  frame.set(op.getNewH(), std::move(newH));
  return success();
}

LogicalResult gruCell(GruCellOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  FloatMath math(x.kind);
  const Tensor &h = frame.get(op.getH());
  Gates gates{math, x, frame.get(op.getGateW()), frame.get(op.getGateB())};
  Gates candidates{math, x, frame.get(op.getCandW()), frame.get(op.getCandB())};
  int64_t units = h.shape[1];
  Tensor newH = h;
  for (int64_t row = 0; row < h.shape[0]; ++row) {
    ArrayRef<Element> state = rowOf(h, row);
    std::vector<Element> kept;
    for (int64_t unit = 0; unit < units; ++unit)
      kept.push_back(
          math.mul(math.sigmoid(gates.sum(row, state, unit)), state[unit]));
    for (int64_t unit = 0; unit < units; ++unit) {
      Element update = math.sigmoid(gates.sum(row, state, units + unit));
      Element candidate = math.tanh(candidates.sum(row, kept, unit));
      Element rest = math.sub(Element::exact(1), update);
      newH.at({row, unit}) =
          math.sum({math.mul(update, state[unit]), math.mul(rest, candidate)});
    }
  }
  frame.set(op.getNewH(), std::move(newH));
  return success();
}

} // namespace

void addRecurrentOps(OpTable &table) {
  table.add<LstmCellOp>(lstmCell);
  table.add<GruCellOp>(gruCell);
}

} // namespace graphc::interpreter
