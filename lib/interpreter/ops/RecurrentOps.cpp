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

LogicalResult lstmCell(LstmCellOp op, Frame &frame) {
  FloatMath math(ElementKind::F32);
  const Tensor &h = frame.get(op.getH());
  const Tensor &c = frame.get(op.getC());
  Gates gates{math, frame.get(op.getX()), frame.get(op.getW()),
              frame.get(op.getB())};
  Element forgetBias =
      math.round(Element::exact(op.getForgetBias().convertToDouble()), 1,
                 /*mayBeExact=*/true);
  int64_t units = h.shape[1];
  Tensor newC = c, newH = h;
  forEachIndex(h.shape, [&](ArrayRef<int64_t> at) {
    int64_t row = at[0], unit = at[1];
    auto gate = [&](int64_t number) {
      return gates.sum(row, rowOf(h, row), number * units + unit);
    };
    Element forget = math.sigmoid(math.add(gate(2), forgetBias));
    Element added = math.mul(math.sigmoid(gate(0)), math.tanh(gate(1)));
    Element state = math.sum({math.mul(forget, c.at(at)), added});
    newC.at(at) = state;
    newH.at(at) = math.mul(math.sigmoid(gate(3)), math.tanh(state));
  });
  frame.set(op.getNewC(), std::move(newC));
  frame.set(op.getNewH(), std::move(newH));
  return success();
}

LogicalResult gruCell(GruCellOp op, Frame &frame) {
  FloatMath math(ElementKind::F32);
  const Tensor &x = frame.get(op.getX());
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
