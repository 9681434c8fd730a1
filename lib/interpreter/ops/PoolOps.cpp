// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of pooling: each window as the list of its pixels.
#include "lib/interpreter/ProductTerms.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// Calls `body` for every window of a pool over images NHWC: its place in the
/// output and, in row-major order, the places of its pixels that lie inside.
template <typename Op, typename Function>
void forEachWindow(Op op, ArrayRef<int64_t> images, Function body) {
  WindowAttrs attrs = WindowAttrs::of(op);
  ArrayRef<int64_t> k = op.getKsize(), s = op.getStrides();
  Window rows = attrs.along(0, images[1], k[0]);
  Window columns = attrs.along(1, images[2], k[1]);
  int64_t places[] = {images[0], rows.out, columns.out, images[3]};
  forEachIndex(places, [&](ArrayRef<int64_t> out) {
    std::vector<SmallVector<int64_t, 4>> pixels;
    for (int64_t y = 0; y < k[0]; ++y)
      for (int64_t x = 0; x < k[1]; ++x) {
        int64_t h = out[1] * s[0] + y - rows.padBefore;
        int64_t w = out[2] * s[1] + x - columns.padBefore;
        if (h >= 0 && h < images[1] && w >= 0 && w < images[2])
          pixels.push_back({out[0], h, w, out[3]});
      }
    body(out, ArrayRef(pixels));
  });
}

using Pixels = ArrayRef<SmallVector<int64_t, 4>>;

/// Sets the result of a pool from what `pool` makes of images NHWC.
template <typename Op, typename Function>
LogicalResult setPool(Op op, Frame &frame, Function pool) {
  const Tensor &images = frame.get(op.getInput());
  bool isFirst = op.getDataFormat() == "NCHW";
  RankedTensorType type = op.getOutput().getType();
  Tensor result = Tensor::ofType(isFirst ? channelsLast(type) : type);
  pool(isFirst ? withChannelsLast(images) : images, result);
  frame.set(op.getOutput(),
            isFirst ? withChannelsFirst(result) : std::move(result));
  return success();
}

LogicalResult maxPool(MaxPoolOp op, Frame &frame) {
  FloatMath math(frame.get(op.getInput()).kind);
  return setPool(op, frame, [&](const Tensor &images, Tensor &result) {
    forEachWindow(op, images.shape, [&](ArrayRef<int64_t> out, Pixels pixels) {
      // On ties the first stays, and so does its slope, be it that of -inf.
      Element best =
          pixels.empty()
              ? Element::exact(-std::numeric_limits<double>::infinity())
              : images.at(pixels.front());
      for (ArrayRef<int64_t> pixel : pixels)
        best = math.max(best, images.at(pixel));
      result.at(out) = best;
    });
  });
}

LogicalResult avgPool(AvgPoolOp op, Frame &frame) {
  FloatMath math(frame.get(op.getInput()).kind);
  return setPool(op, frame, [&](const Tensor &images, Tensor &result) {
    forEachWindow(op, images.shape, [&](ArrayRef<int64_t> out, Pixels pixels) {
      std::vector<Element> terms;
      for (ArrayRef<int64_t> pixel : pixels)
        terms.push_back(images.at(pixel));
      Element count = Element::exact(static_cast<double>(terms.size()));
      result.at(out) = math.div(math.sum(terms), count);
    });
  });
}

/// The share of a window's gradient that each of its pixels gets: all for the
/// first largest; for those that may be it, between nothing and all.
std::vector<Element> maxShares(const Tensor &images, Pixels pixels,
                               const Element &gradient) {
  size_t best = 0;
  for (size_t i = 0; i < pixels.size(); ++i)
    if (images.at(pixels[i]).value > images.at(pixels[best]).value)
      best = i;
  const Element &largest = images.at(pixels[best]);
  std::vector<Element> shares;
  bool isDecided = true;
  for (size_t i = 0; i < pixels.size(); ++i) {
    const Element &pixel = images.at(pixels[i]);
    bool mayBe = i != best && !less(pixel, largest).isKnown;
    bool isOdd = std::isnan(pixel.value) || pixel.isAnything();
    isDecided &= !mayBe && !isOdd;
    Element none = Element::exact(0), all = gradient;
    Element share = i == best ? all : none;
    shares.push_back(mayBe || isOdd ? hull(share, i == best ? none : all)
                                    : share);
  }
  if (!isDecided && !shares.empty())
    shares[best] = hull(shares[best], Element::exact(0));
  return shares;
}

LogicalResult maxPoolGrad(MaxPoolGradOp op, Frame &frame) {
  const Tensor &images = frame.get(op.getInput());
  FloatMath math(images.kind);
  const Tensor &gradient = frame.get(op.getGradient());
  Tensor result = Tensor::ofType(op.getInputGradient().getType());
  std::vector<std::vector<Element>> terms(result.size());
  forEachWindow(op, images.shape, [&](ArrayRef<int64_t> out, Pixels pixels) {
    std::vector<Element> shares = maxShares(images, pixels, gradient.at(out));
    for (auto [pixel, share] : llvm::zip(pixels, shares))
      terms[result.offset(pixel)].push_back(share);
  });
  for (auto [element, list] : llvm::zip(result.elements, terms))
    element = math.sum(list);
  frame.set(op.getInputGradient(), std::move(result));
  return success();
}

LogicalResult avgPoolGrad(AvgPoolGradOp op, Frame &frame) {
  const Tensor &gradient = frame.get(op.getGradient());
  FloatMath math(gradient.kind);
  Tensor result = Tensor::ofType(op.getInputGradient().getType());
  std::vector<std::vector<Element>> terms(result.size());
  forEachWindow(op, result.shape, [&](ArrayRef<int64_t> out, Pixels pixels) {
    Element count = Element::exact(static_cast<double>(pixels.size()));
    for (ArrayRef<int64_t> pixel : pixels)
      terms[result.offset(pixel)].push_back(math.div(gradient.at(out), count));
  });
  for (auto [element, list] : llvm::zip(result.elements, terms))
    element = math.sum(list);
  frame.set(op.getInputGradient(), std::move(result));
  return success();
}

} // namespace

void addPoolOps(OpTable &table) {
  table.add<MaxPoolOp>(maxPool);
  table.add<AvgPoolOp>(avgPool);
  table.add<MaxPoolGradOp>(maxPoolGrad);
  table.add<AvgPoolGradOp>(avgPoolGrad);
}

} // namespace graphc::interpreter
