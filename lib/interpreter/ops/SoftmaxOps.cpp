// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of softmax, cross entropies and the short forms of other ops.
#include "lib/interpreter/Frame.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// One row of logits: shifted by its largest element, which changes neither
/// softmax nor the logarithm of it, but keeps exp() from overflowing.
struct Row {
  FloatMath math;
  std::vector<Element> shifted, exponentials;
  Element sum;

  Row(ElementKind kind, ArrayRef<Element> logits) : math(kind) {
    Element largest = Element::exact(-std::numeric_limits<double>::infinity());
    for (const Element &logit : logits)
      largest = math.max(largest, logit);
    // A constant for differentiation: its share cancels.
    largest.slope = 0;
    if (std::isfinite(largest.value) && !largest.isAnything())
      largest = Element::exact(largest.value);
    for (const Element &logit : logits) {
      shifted.push_back(math.sub(logit, largest));
      exponentials.push_back(math.exp(shifted.back()));
    }
    sum = math.sum(exponentials);
  }

  Element softmax(size_t i) const { return math.div(exponentials[i], sum); }
  /// -log softmax
  Element surprise(size_t i) const {
    return math.sub(math.log(sum), shifted[i]);
  }
};

/// Calls `body` with the rows along the last dimension and the place of the
/// first element of each.
template <typename Function>
void forEachRow(const Tensor &logits, Function body) {
  int64_t width = logits.shape.back();
  if (width == 0)
    return;
  for (int64_t begin = 0; begin < logits.size(); begin += width)
    body(begin, ArrayRef(logits.elements).slice(begin, width));
}

LogicalResult softmax(SoftmaxOp op, Frame &frame) {
  ElementKind kind = frame.get(op.getLogits()).kind;
  Tensor result = frame.get(op.getLogits());
  forEachRow(frame.get(op.getLogits()),
             [&](int64_t begin, ArrayRef<Element> logits) {
               Row row(kind, logits);
               for (size_t i = 0; i < logits.size(); ++i)
                 result.elements[begin + i] = row.softmax(i);
             });
  frame.set(op.getOutput(), std::move(result));
  return success();
}

LogicalResult logSoftmax(LogSoftmaxOp op, Frame &frame) {
  ElementKind kind = frame.get(op.getLogits()).kind;
  Tensor result = frame.get(op.getLogits());
  forEachRow(frame.get(op.getLogits()),
             [&](int64_t begin, ArrayRef<Element> logits) {
               Row row(kind, logits);
               for (size_t i = 0; i < logits.size(); ++i)
                 result.elements[begin + i] = row.math.neg(row.surprise(i));
             });
  frame.set(op.getOutput(), std::move(result));
  return success();
}

LogicalResult crossEntropy(SoftmaxXentOp op, Frame &frame) {
  ElementKind kind = frame.get(op.getLogits()).kind;
  const Tensor &labels = frame.get(op.getLabels());
  Tensor loss = Tensor::ofType(op.getLoss().getType());
  Tensor backprop = Tensor::ofType(op.getBackprop().getType());
  int64_t number = 0;
  forEachRow(frame.get(op.getLogits()), [&](int64_t begin,
                                            ArrayRef<Element> logits) {
    Row row(kind, logits);
    std::vector<Element> terms;
    for (size_t i = 0; i < logits.size(); ++i) {
      Element label = labels.elements[begin + i];
      backprop.elements[begin + i] = row.math.sub(row.softmax(i), label);
      // TensorFlow gives the labels no gradient.
      label.slope = 0;
      Element term = row.math.mul(label, row.surprise(i));
      terms.push_back(term);
    }
    Element total = row.math.sum(terms);
    // Its gradient is `backprop` by definition, also where the labels do
    // not sum to 1.
    total.slope = 0;
    for (size_t i = 0; i < logits.size(); ++i)
      total.slope += chain(backprop.elements[begin + i].value, logits[i].slope);
    loss.elements[number++] = total;
  });
  frame.set(op.getLoss(), std::move(loss));
  frame.set(op.getBackprop(), std::move(backprop));
  return success();
}

LogicalResult sparseCrossEntropy(SparseSoftmaxXentOp op, Frame &frame) {
  ElementKind kind = frame.get(op.getLogits()).kind;
  double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor &labels = frame.get(op.getLabels());
  Tensor loss = Tensor::ofType(op.getLoss().getType());
  Tensor backprop = Tensor::ofType(op.getBackprop().getType());
  for (Element &element : loss.elements) // of rows without classes
    element = Element::exact(nan);
  int64_t number = 0;
  forEachRow(
      frame.get(op.getLogits()), [&](int64_t begin, ArrayRef<Element> logits) {
        Row row(kind, logits);
        const Element &label = labels.elements[number];
        int64_t classes = static_cast<int64_t>(logits.size());
        bool fits = label.integer >= 0 && label.integer < classes;
        Element lost = fits ? row.surprise(label.integer) : Element::exact(nan);
        if (!label.isKnown)
          lost = Element::anything(lost.value, lost.slope);
        loss.elements[number++] = lost;
        for (int64_t i = 0; i < classes; ++i) {
          Element hit = Element::exact(fits && i == label.integer ? 1 : 0);
          Element part =
              fits ? row.math.sub(row.softmax(i), hit) : Element::exact(nan);
          if (!label.isKnown)
            part = Element::anything(part.value, part.slope);
          backprop.elements[begin + i] = part;
        }
      });
  frame.set(op.getLoss(), std::move(loss));
  frame.set(op.getBackprop(), std::move(backprop));
  return success();
}

LogicalResult biasAdd(BiasAddOp op, Frame &frame) {
  Tensor result = frame.get(op.getValue());
  const Tensor &bias = frame.get(op.getBias());
  FloatMath math(result.kind);
  int64_t place = 0;
  bool isFirst = op.getDataFormat() == "NCHW";
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    Element &element = result.elements[place++];
    const Element &b = bias.elements[isFirst ? index[1] : index.back()];
    if (result.isFloat()) {
      element = math.add(element, b);
      return;
    }
    element = wrap(result.kind, Element::of(element.integer + b.integer,
                                            element.isKnown && b.isKnown));
  });
  frame.set(op.getOutput(), std::move(result));
  return success();
}

LogicalResult l2Loss(L2LossOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  FloatMath math(x.kind);
  std::vector<Element> squares;
  for (const Element &element : x.elements)
    squares.push_back(math.square(element));
  frame.setElements(op.getLoss(),
                    {math.mul(math.sum(squares), Element::exact(0.5))});
  return success();
}

} // namespace

void addSoftmaxOps(OpTable &table) {
  table.add<SoftmaxOp>(softmax);
  table.add<LogSoftmaxOp>(logSoftmax);
  table.add<SoftmaxXentOp>(crossEntropy);
  table.add<SparseSoftmaxXentOp>(sparseCrossEntropy);
  table.add<BiasAddOp>(biasAdd);
  table.add<L2LossOp>(l2Loss);
}

} // namespace graphc::interpreter
