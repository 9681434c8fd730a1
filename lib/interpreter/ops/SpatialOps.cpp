// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of ops on images, blocks of pixels and sequences.
#include "dialects/tfir/Support.h"
#include "dialects/tfir/ops/arrange/TfirSpatialOps.h"
#include "lib/interpreter/ElementMap.h"
#include "lib/interpreter/Gather.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

using Index = SmallVector<int64_t>;

int64_t positive(uint64_t written, int64_t rank) {
  auto axis = static_cast<int64_t>(written);
  return axis < 0 ? axis + rank : axis;
}

//===-- Blocks of pixels --------------------------------------------------===//

/// The place in the image of one of the channels that its square makes.
Index pixelOf(ArrayRef<int64_t> index, int64_t block, int64_t channels) {
  int64_t place = index[3] / channels;
  return {index[0], index[1] * block + place / block,
          index[2] * block + place % block, index[3] % channels};
}

LogicalResult spaceToDepth(SpaceToDepthOp op, Frame &frame) {
  int64_t channels = frame.get(op.getX()).shape[3];
  auto block = static_cast<int64_t>(op.getBlockSize());
  return gather(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
    return pixelOf(index, block, channels);
  });
}

/// The inverse of a gather.
template <typename Function>
LogicalResult scatter(Value result, Value operand, Frame &frame,
                      Function target) {
  Tensor tensor = Tensor::ofType(cast<RankedTensorType>(result.getType()));
  const Tensor &from = frame.get(operand);
  int64_t next = 0;
  forEachIndex(from.shape, [&](ArrayRef<int64_t> index) {
    const Element &element = from.elements[next++];
    Index to = target(index);
    bool isInside = true;
    for (auto [place, size] : llvm::zip_equal(to, tensor.shape))
      isInside &= place >= 0 && place < size;
    if (isInside)
      tensor.at(to) = element;
  });
  frame.set(result, std::move(tensor));
  return success();
}

LogicalResult depthToSpace(DepthToSpaceOp op, Frame &frame) {
  int64_t channels = op.getY().getType().getDimSize(3);
  auto block = static_cast<int64_t>(op.getBlockSize());
  return scatter(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
    return pixelOf(index, block, channels);
  });
}

/// The place, among `batch` examples, of an element of an example that is a
/// place within blocks; `before` has two numbers for each dimension.
Index unblocked(ArrayRef<int64_t> index, ArrayRef<int64_t> blocks,
                ArrayRef<int64_t> before, int64_t batch) {
  Index place(index);
  place[0] = index[0] % batch;
  int64_t within = index[0] / batch;
  for (size_t i = blocks.size(); i-- > 0;) {
    place[i + 1] =
        index[i + 1] * blocks[i] + within % blocks[i] - before[2 * i];
    within /= blocks[i];
  }
  return place;
}

LogicalResult spaceToBatch(SpaceToBatchOp op, Frame &frame) {
  Tensor tensor = Tensor::ofType(op.getY().getType());
  const Tensor &x = frame.get(op.getX());
  int64_t next = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    Index from =
        unblocked(index, op.getBlockShape(), op.getPaddings(), x.shape[0]);
    bool isInside = true;
    for (auto [place, size] : llvm::zip_equal(from, x.shape))
      isInside &= place >= 0 && place < size;
    tensor.elements[next++] = isInside ? x.at(from) : numberOf(tensor.kind, 0);
  });
  frame.set(op.getY(), std::move(tensor));
  return success();
}

LogicalResult batchToSpace(BatchToSpaceOp op, Frame &frame) {
  int64_t batch = op.getY().getType().getDimSize(0);
  return scatter(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
    return unblocked(index, op.getBlockShape(), op.getCrops(), batch);
  });
}

LogicalResult extractPatches(ExtractPatchesOp op, Frame &frame) {
  Tensor tensor = Tensor::ofType(op.getY().getType());
  const Tensor &x = frame.get(op.getX());
  int64_t before[2];
  for (size_t i = 0; i < 2; ++i) {
    int64_t rate = op.getRates() ? (*op.getRates())[i] : 1;
    before[i] = windowOf(x.shape[i + 1], (op.getKsizes()[i] - 1) * rate + 1,
                         op.getStrides()[i], op.getPadding() == "SAME")
                    .padBefore;
  }
  int64_t next = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    int64_t pixel = index[3] / x.shape[3];
    int64_t offsets[] = {pixel / op.getKsizes()[1], pixel % op.getKsizes()[1]};
    Index from{index[0], 0, 0, index[3] % x.shape[3]};
    bool isInside = true;
    for (size_t i = 0; i < 2; ++i) {
      int64_t rate = op.getRates() ? (*op.getRates())[i] : 1;
      from[i + 1] =
          index[i + 1] * op.getStrides()[i] + offsets[i] * rate - before[i];
      isInside &= from[i + 1] >= 0 && from[i + 1] < x.shape[i + 1];
    }
    tensor.elements[next++] = isInside ? x.at(from) : numberOf(tensor.kind, 0);
  });
  frame.set(op.getY(), std::move(tensor));
  return success();
}

//===-- Images ------------------------------------------------------------===//

/// Turned around along the dimension that is the `fromLast`-th from the last.
template <typename Op> auto flipped(int64_t fromLast) {
  return [fromLast](Op op, Frame &frame) {
    const Tensor &x = frame.get(op.getX());
    return gather(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
      Index from(index);
      int64_t axis = x.rank() - fromLast;
      from[axis] = x.shape[axis] - 1 - from[axis];
      return from;
    });
  };
}

LogicalResult rgbToGrayscale(RgbToGrayscaleOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  ElementKind kind =
      x.kind == ElementKind::F64 ? ElementKind::F64 : ElementKind::F32;
  FloatMath math(kind);
  Tensor tensor = Tensor::ofType(op.getY().getType());
  int64_t next = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    Index from(index);
    constexpr double kWeights[] = {0.2989, 0.587, 0.114};
    Element sum;
    for (auto [channel, weight] : llvm::enumerate(kWeights)) {
      from.back() = static_cast<int64_t>(channel);
      Element color = castElement(x.at(from), x.kind, kind);
      if (x.kind == ElementKind::U8)
        color = math.mul(color, numberOf(kind, 1.0 / 255));
      color = math.mul(color, numberOf(kind, weight));
      sum = channel ? math.add(sum, color) : color;
    }
    if (x.kind == ElementKind::U8)
      sum = castElement(math.mul(sum, numberOf(kind, 255.5)), kind,
                        ElementKind::U8);
    tensor.elements[next++] = sum;
  });
  frame.set(op.getY(), std::move(tensor));
  return success();
}

//===-- Sums by tables ----------------------------------------------------===//

Element weighed(ElementKind kind, const Element &x, const Element &weight) {
  if (isFloat(kind))
    return FloatMath(kind).mul(x, weight);
  return wrap(kind, Element::of(mul64(x.integer, weight.integer),
                                x.isKnown && weight.isKnown));
}

Element plus(ElementKind kind, const Element &x, const Element &y) {
  if (isFloat(kind))
    return FloatMath(kind).add(x, y);
  return wrap(kind,
              Element::of(add64(x.integer, y.integer), x.isKnown && y.isKnown));
}

/// Weights of the places that one place of the result is made of, in their
/// order.
using Terms = std::vector<std::pair<int64_t, Element>>;

template <typename Function>
Tensor sumAlong(const Tensor &x, int64_t axis, int64_t size, Function termsOf) {
  Tensor y;
  y.kind = x.kind;
  y.shape = x.shape;
  y.shape[axis] = size;
  forEachIndex(y.shape, [&](ArrayRef<int64_t> index) {
    Element sum = numberOf(x.kind, 0);
    bool isFirst = true;
    for (const auto &[place, weight] : termsOf(index[axis])) {
      Index from(index);
      from[axis] = place;
      Element term = weighed(x.kind, x.at(from), weight);
      sum = isFirst ? term : plus(x.kind, sum, term);
      isFirst = false;
    }
    y.elements.push_back(sum);
  });
  return y;
}

LogicalResult resample(ResampleOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  const Tensor &weights = frame.get(op.getWeights());
  const Tensor &starts = frame.get(op.getStarts());
  int64_t axis = positive(op.getAxis(), x.rank());
  frame.set(op.getY(), sumAlong(x, axis, weights.shape[0], [&](int64_t row) {
              Terms terms;
              for (int64_t k = 0; k < weights.shape[1]; ++k) {
                int64_t place = std::clamp<int64_t>(
                    starts.elements[row].integer + k, 0, x.shape[axis] - 1);
                Element weight = weights.at({row, k});
                if (isFloat(x.kind) ? weight.value != 0 : weight.integer != 0)
                  terms.push_back({place, weight});
              }
              return terms;
            }));
  return success();
}

/// The place in the operand, and its whole part, of place i of the result.
struct Place {
  double whole, part;
};

template <typename Op>
Place placeOf(Op op, int64_t i, int64_t from, int64_t to, bool isNearest) {
  float factor = op.getAlignCorners() && to > 1
                     ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                     : static_cast<float>(from) / static_cast<float>(to);
  auto at = static_cast<float>(i);
  float place = op.getHalfPixelCenters() ? (at + 0.5F) * factor : at * factor;
  if (isNearest)
    return {op.getAlignCorners() ? std::round(place) : std::floor(place), 0};
  if (op.getHalfPixelCenters())
    place -= 0.5F;
  double whole = std::floor(place);
  return {whole, place - whole};
}

/// Weights of the places from `whole - 1` to `whole + 2`.
std::vector<double> cubicWeights(double part, double a) {
  std::vector<double> weights;
  for (double distance : {1 + part, part, 1 - part, 2 - part}) {
    double d = distance;
    weights.push_back(d <= 1
                          ? (a + 2) * d * d * d - (a + 3) * d * d + 1
                          : a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a);
  }
  return weights;
}

enum class Method { Nearest, Bilinear, Bicubic };

template <typename Op>
Terms termsOf(Op op, Method method, ElementKind kind, int64_t i, int64_t from,
              int64_t to) {
  Place place = placeOf(op, i, from, to, method == Method::Nearest);
  auto first = static_cast<int64_t>(place.whole);
  std::vector<double> weights{1};
  if (method == Method::Bilinear)
    weights = {1 - place.part, place.part};
  if (method == Method::Bicubic) {
    weights = cubicWeights(place.part, op.getHalfPixelCenters() ? -0.5 : -0.75);
    --first;
  }
  bool drops = method == Method::Bicubic && op.getHalfPixelCenters();
  std::map<int64_t, double> sums;
  double all = 0;
  for (size_t k = 0; k < weights.size(); ++k) {
    int64_t at = first + static_cast<int64_t>(k);
    int64_t inside = std::clamp<int64_t>(at, 0, from - 1);
    if (weights[k] == 0 || (drops && inside != at))
      continue;
    sums[inside] += weights[k];
    all += weights[k];
  }
  Terms terms;
  for (auto [at, weight] : sums)
    terms.push_back({at, numberOf(kind, drops ? weight / all : weight)});
  return terms;
}

template <typename Op> auto resized(Method method) {
  return [method](Op op, Frame &frame) {
    RankedTensorType to = op.getY().getType();
    Tensor y = frame.get(op.getImages());
    ElementKind kind = kindOf(to.getElementType());
    for (Element &element : y.elements)
      element = castElement(element, y.kind, kind);
    y.kind = kind;
    int64_t height = y.rank() - 3, width = height + 1;
    // The order is a matter of rounding only; both are right.
    double rowsFirst = static_cast<double>(to.getDimSize(height)) *
                       static_cast<double>(y.shape[width]);
    double columnsFirst = static_cast<double>(y.shape[height]) *
                          static_cast<double>(to.getDimSize(width));
    int64_t first = rowsFirst <= columnsFirst ? height : width;
    for (int64_t axis : {first, height + width - first}) {
      int64_t from = y.shape[axis], size = to.getDimSize(axis);
      if (from != size)
        y = sumAlong(y, axis, size, [&](int64_t i) {
          return termsOf(op, method, kind, i, from, size);
        });
    }
    frame.set(op.getY(), std::move(y));
    return success();
  };
}

//===-- Sequences ---------------------------------------------------------===//

LogicalResult reverseSequence(ReverseSequenceOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  const Tensor &lengths = frame.get(op.getSeqLengths());
  int64_t sequence = positive(op.getSeqAxis(), x.rank());
  int64_t batch = positive(op.getBatchAxis(), x.rank());
  Tensor tensor = Tensor::ofType(op.getY().getType());
  int64_t next = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    const Element &length = lengths.elements[index[batch]];
    int64_t count = std::min<Integer>(length.integer, x.shape[sequence]);
    Index from(index);
    if (from[sequence] < count)
      from[sequence] = count - 1 - from[sequence];
    Element element = x.at(from);
    if (!length.isKnown)
      element = isFloat(x.kind)
                    ? Element::anything(element.value, element.slope)
                    : Element::of(element.integer, false);
    tensor.elements[next++] = element;
  });
  frame.set(op.getY(), std::move(tensor));
  return success();
}

} // namespace

void addSpatialOps(OpTable &table) {
  table.add<SpaceToDepthOp>(spaceToDepth);
  table.add<DepthToSpaceOp>(depthToSpace);
  table.add<SpaceToBatchOp>(spaceToBatch);
  table.add<BatchToSpaceOp>(batchToSpace);
  table.add<ExtractPatchesOp>(extractPatches);
  table.add<FlipLeftRightOp>(flipped<FlipLeftRightOp>(2));
  table.add<FlipUpDownOp>(flipped<FlipUpDownOp>(3));
  table.add<RgbToGrayscaleOp>(rgbToGrayscale);
  table.add<ResampleOp>(resample);
  table.add<ResizeNearestOp>(resized<ResizeNearestOp>(Method::Nearest));
  table.add<ResizeBilinearOp>(resized<ResizeBilinearOp>(Method::Bilinear));
  table.add<ResizeBicubicOp>(resized<ResizeBicubicOp>(Method::Bicubic));
  table.add<ReverseSequenceOp>(reverseSequence);
}

} // namespace graphc::interpreter
