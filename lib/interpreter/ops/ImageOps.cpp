// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of crops of images and of their colours.
#include "dialects/tfir/ops/images/TfirImageOps.h"
#include "lib/interpreter/Gather.h"

#include <cmath>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// A place along one dimension of an image.
struct CropPlace {
  Element exact; ///< within the image
  bool isInside; ///< within the image
  bool
      isCertain; ///< it does not depend on rounding which pixels are next to it
};

CropPlace placeOf(const FloatMath &math, const Element &first,
                  const Element &second, int64_t i, int64_t from, int64_t to) {
  auto number = [](double value) {
    return Element::exact(static_cast<float>(value));
  };
  Element last = number(static_cast<double>(from - 1)), place;
  if (to > 1) {
    Element factor =
        number(static_cast<double>(from - 1) / static_cast<double>(to - 1));
    Element step = math.mul(math.sub(second, first), factor);
    place = math.add(math.mul(first, last),
                     math.mul(step, number(static_cast<double>(i))));
  } else {
    place = math.mul(math.add(first, second),
                     number(0.5 * static_cast<double>(from - 1)));
  }
  Truth isAfter = lessEqual(number(0), place);
  Truth isBefore = lessEqual(place, last);
  bool isInside = isAfter.value && isBefore.value;
  if (!isInside)
    return {number(0), false, isAfter.isKnown && isBefore.isKnown};
  bool isWhole = place.isPoint() && place.value == std::floor(place.value);
  return {place, true,
          isAfter.isKnown && isBefore.isKnown && !place.isAnything() &&
              (isWhole || std::floor(place.low) == std::floor(place.high))};
}

LogicalResult cropAndResize(CropAndResizeOp op, Frame &frame) {
  const Tensor &image = frame.get(op.getImage());
  const Tensor &boxes = frame.get(op.getBoxes());
  const Tensor &images = frame.get(op.getBoxInd());
  Tensor y = Tensor::ofType(op.getY().getType());
  FloatMath math(ElementKind::F32);
  Element outside =
      numberOf(y.kind, op.getExtrapolationValue().convertToDouble());
  bool isNearest = op.getMethod() == "nearest";
  int64_t next = 0;
  forEachIndex(y.shape, [&](ArrayRef<int64_t> at) {
    CropPlace row = placeOf(math, boxes.at({at[0], 0}), boxes.at({at[0], 2}),
                            at[1], image.shape[1], y.shape[1]);
    CropPlace column = placeOf(math, boxes.at({at[0], 1}), boxes.at({at[0], 3}),
                               at[2], image.shape[2], y.shape[2]);
    const Element &which = images.elements[at[0]];
    bool isThere = which.integer >= 0 && which.integer < image.shape[0];
    Element &result = y.elements[next++];
    if (!row.isInside || !column.isInside || !isThere) {
      result = outside;
    } else {
      auto pixel = [&](double i, double j) {
        return image.at({static_cast<int64_t>(which.integer),
                         static_cast<int64_t>(i), static_cast<int64_t>(j),
                         at[3]});
      };
      double i = row.exact.value, j = column.exact.value;
      auto mix = [&](const Element &a, const Element &b, const Element &part) {
        return math.add(a, math.mul(math.sub(b, a), part));
      };
      auto partOf = [&](const Element &place) {
        return math.sub(place, Element::exact(std::floor(place.value)));
      };
      if (isNearest)
        result = pixel(std::floor(i + 0.5), std::floor(j + 0.5));
      else
        result =
            mix(mix(pixel(std::floor(i), std::floor(j)),
                    pixel(std::floor(i), std::ceil(j)), partOf(column.exact)),
                mix(pixel(std::ceil(i), std::floor(j)),
                    pixel(std::ceil(i), std::ceil(j)), partOf(column.exact)),
                partOf(row.exact));
    }
    auto isHalf = [&](const CropPlace &place) {
      return std::floor(place.exact.low + 0.5) !=
             std::floor(place.exact.high + 0.5);
    };
    if (!row.isCertain || !column.isCertain || !which.isKnown ||
        (isNearest && (isHalf(row) || isHalf(column))))
      result = Element::anything(result.value, result.slope);
  });
  frame.set(op.getY(), std::move(y));
  return success();
}

LogicalResult grayscaleToRgb(GrayscaleToRgbOp op, Frame &frame) {
  return gather(op.getY(), op.getX(), frame, [](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    from.back() = 0;
    return from;
  });
}

LogicalResult adjustBrightness(AdjustBrightnessOp op, Frame &frame) {
  Tensor y = frame.get(op.getX());
  FloatMath math(y.kind);
  for (Element &element : y.elements)
    element =
        math.add(element, numberOf(y.kind, op.getDelta().convertToDouble()));
  frame.set(op.getY(), std::move(y));
  return success();
}

LogicalResult adjustContrast(AdjustContrastOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  Tensor y = x;
  FloatMath math(y.kind);
  int64_t channels = x.shape.back();
  int64_t pixels = x.shape[x.rank() - 2] * x.shape[x.rank() - 3];
  Element factor = numberOf(y.kind, op.getContrastFactor().convertToDouble());
  for (int64_t first = 0; first < x.size(); first += pixels * channels)
    for (int64_t channel = first; channel < first + channels; ++channel) {
      std::vector<Element> terms;
      for (int64_t i = 0; i < pixels; ++i)
        terms.push_back(x.elements[channel + i * channels]);
      Element mean = math.div(math.sum(terms),
                              numberOf(y.kind, static_cast<double>(pixels)));
      for (int64_t i = 0; i < pixels; ++i) {
        Element &element = y.elements[channel + i * channels];
        element = math.add(math.mul(math.sub(element, mean), factor), mean);
      }
    }
  frame.set(op.getY(), std::move(y));
  return success();
}

} // namespace

void addImageOps(OpTable &table) {
  table.add<CropAndResizeOp>(cropAndResize);
  table.add<GrayscaleToRgbOp>(grayscaleToRgb);
  table.add<AdjustBrightnessOp>(adjustBrightness);
  table.add<AdjustContrastOp>(adjustContrast);
}

} // namespace graphc::interpreter
