// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of pools beside tfir.max_pool and tfir.avg_pool: each window as
// the list of its elements.
#include "dialects/tfir/ops/windows/TfirPoolingOps.h"
#include "lib/interpreter/ProductTerms.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

using Elements = std::vector<Element>;
using Fold = llvm::function_ref<Element(FloatMath, const Elements &)>;

Element meanOf(FloatMath math, const Elements &elements) {
  return math.div(math.sum(elements),
                  Element::exact(static_cast<double>(elements.size())));
}

/// On ties the first stays, and so does its slope.
Element largestOf(FloatMath math, const Elements &elements) {
  Element best = Element::exact(-std::numeric_limits<double>::infinity());
  for (const Element &element : elements)
    best = math.max(best, element);
  return best;
}

/// As that of `max`, which ties share.
Element largestOfAll(FloatMath math, const Elements &elements) {
  Element best = largestOf(math, elements);
  best.slope = slopeOfTies(elements, best.value);
  return best;
}

/// `fold` of the elements inside of each window over images with channels last.
Tensor pooled(const Tensor &images, Index output, Index ksize,
              const WindowAttrs &attrs, Fold fold) {
  Tensor result;
  result.kind = images.kind;
  result.shape.assign(output.begin(), output.end());
  unsigned dims = ksize.size();
  forEachIndex(output, [&](Index out) {
    Elements elements;
    forEachIndex(ksize, [&](Index k) {
      SmallVector<int64_t, 6> pixel(out);
      for (unsigned i = 0; i < dims; ++i) {
        int64_t size = images.shape[1 + i];
        pixel[1 + i] = out[1 + i] * attrs.strides[i] + k[i] -
                       attrs.along(i, size, ksize[i]).padBefore;
        if (pixel[1 + i] < 0 || pixel[1 + i] >= size)
          return;
      }
      elements.push_back(images.at(pixel));
    });
    result.elements.push_back(fold(FloatMath(images.kind), elements));
  });
  return result;
}

SmallVector<int64_t> lastShape(Value value, bool isFirst) {
  SmallVector<int64_t> shape(shapeOf(value));
  if (isFirst)
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return shape;
}

/// Sets the result of `op` from its windows.
template <typename Op>
LogicalResult setPooled(Op op, Frame &frame, Index ksize,
                        const WindowAttrs &attrs, Fold fold) {
  bool isFirst = op.getDataFormat().starts_with("NC");
  const Tensor &given = frame.get(op.getInput());
  Tensor result =
      pooled(isFirst ? withChannelsLast(given) : given,
             lastShape(op.getOutput(), isFirst), ksize, attrs, fold);
  frame.set(op.getOutput(),
            isFirst ? withChannelsFirst(result) : std::move(result));
  return success();
}

template <typename Op>
void addSpatial(OpTable &table, Element (*fold)(FloatMath, const Elements &)) {
  table.add<Op>([=](Op op, Frame &frame) {
    return setPooled(op, frame, op.getKsize(), WindowAttrs::of(op), fold);
  });
}

template <typename Op>
void addAdaptive(OpTable &table, Element (*fold)(FloatMath, const Elements &)) {
  table.add<Op>([=](Op op, Frame &frame) {
    int64_t first = op.getDataFormat() == "NCHW" ? 2 : 1;
    Index in = shapeOf(op.getInput()), sizes = op.getOutputSize();
    int64_t ksize[] = {in[first] / sizes[0], in[first + 1] / sizes[1]};
    return setPooled(op, frame, ksize, {ksize, "VALID", {}}, fold);
  });
}

template <typename Op>
void addGlobal(OpTable &table, Element (*fold)(FloatMath, const Elements &)) {
  table.add<Op>([=](Op op, Frame &frame) {
    bool isFirst = op.getDataFormat() == "NCHW";
    const Tensor &given = frame.get(op.getInput());
    Tensor images = isFirst ? withChannelsLast(given) : given;
    Index ksize = Index(images.shape).drop_front().drop_back();
    SmallVector<int64_t> places(images.shape.size(), 1);
    places.front() = images.shape.front();
    places.back() = images.shape.back();
    SmallVector<int64_t> strides(ksize.size(), 1);
    Tensor result = pooled(images, places, ksize, {strides, "VALID", {}}, fold);
    // Dimensions of size 1 move no element.
    Index shape = shapeOf(op.getOutput());
    result.shape.assign(shape.begin(), shape.end());
    frame.set(op.getOutput(), std::move(result));
    return success();
  });
}

template <typename Op> LogicalResult lpPool(Op op, Frame &frame) {
  double p = op.getP().convertToDouble();
  auto norm = [&](FloatMath math, const Elements &elements) {
    Elements powers;
    for (const Element &x : elements)
      powers.push_back(p == 1   ? math.abs(x)
                       : p == 2 ? math.square(x)
                                : math.pow(math.abs(x), Element::exact(p)));
    Element sum = math.sum(powers);
    if (p == 1)
      return sum;
    Truth isPositive = less(Element::exact(0), sum);
    Element root = p == 2 ? math.sqrt(sum)
                          : math.pow(sum, math.round(Element::exact(1 / p)));
    Element none = Element::exact(0);
    if (std::isnan(sum.value))
      return root;
    if (isPositive.isKnown)
      return isPositive.value ? root : none;
    return isPositive.value ? hull(root, none) : hull(none, root);
  };
  return setPooled(op, frame, op.getKsize(), WindowAttrs::of(op), norm);
}

} // namespace

void addPoolingOps(OpTable &table) {
  addGlobal<GlobalAvgPoolOp>(table, meanOf);
  addGlobal<GlobalMaxPoolOp>(table, largestOfAll);
  addAdaptive<AdaptiveAvgPoolOp>(table, meanOf);
  addAdaptive<AdaptiveMaxPoolOp>(table, largestOf);
  table.add<LpPoolOp>(lpPool<LpPoolOp>);
  table.add<LpPool1DOp>(lpPool<LpPool1DOp>);
  table.add<LpPool3DOp>(lpPool<LpPool3DOp>);
  addSpatial<MaxPool1DOp>(table, largestOf);
  addSpatial<AvgPool1DOp>(table, meanOf);
  addSpatial<MaxPool3DOp>(table, largestOf);
  addSpatial<AvgPool3DOp>(table, meanOf);
}

} // namespace graphc::interpreter
