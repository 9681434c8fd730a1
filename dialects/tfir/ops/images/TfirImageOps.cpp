// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of images in other sizes, and their colours.
#include "dialects/tfir/ops/images/TfirImageOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/gather/TfirGatherOps.h"
#include "dialects/tfir/ops/aggregate/ReductionExpr.h"
#include "dialects/tfir/ops/arrange/TfirMatrixOps.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirImageOps.cpp.inc"

namespace {

Results one(Value value) { return SmallVector<Value>{value}; }

bool fits(int64_t size, int64_t wanted) {
  return size == wanted || ShapedType::isDynamic(size);
}

} // namespace

//===-- Crops -------------------------------------------------------------===//

LogicalResult CropAndResizeOp::inferTypes(Types &types) {
  RankedTensorType image = tensorType(getImage());
  RankedTensorType boxes = tensorType(getBoxes());
  RankedTensorType places = tensorType(getBoxInd());
  if (image.getRank() != 4) // (C1)
    return emitOpError() << "the images have the type " << image
                         << ", expected four dimensions, NHWC";
  if (boxes.getRank() != 2 || !fits(boxes.getDimSize(1), 4) ||
      places.getRank() != 1 ||
      failed(verifyCompatibleShape(boxes.getDimSize(0),
                                   places.getDimSize(0)))) // (C2)
    return emitOpError() << "has boxes of type " << boxes << " and images "
                         << places << ", expected four numbers and one image "
                         << "for each";
  ArrayRef<int64_t> size = getCropSize();
  if (size.size() != 2 || size[0] < 1 || size[1] < 1) { // (C3)
    std::string text;
    for (int64_t number : size)
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    return emitOpError() << "crop_size is [" << text
                         << "], expected two sizes from 1";
  }
  if (getMethod() != "bilinear" && getMethod() != "nearest") // (C4)
    return emitOpError() << "the method is '" << getMethod()
                         << "', expected 'bilinear' or 'nearest'";
  int64_t count = ShapedType::isDynamic(boxes.getDimSize(0))
                      ? places.getDimSize(0)
                      : boxes.getDimSize(0);
  types.push_back(image.clone({count, size[0], size[1], image.getDimSize(3)}));
  return success();
}

namespace {

/// Places of a crop along one dimension of an image, [boxes, size].
class CropPlaces {
public:
  /// `which` is 0 for rows, 1 for columns.
  CropPlaces(CropAndResizeOp op, ReductionExpr e, int64_t which) : e(e) {
    RankedTensorType boxes = tensorType(op.getBoxes());
    int64_t count = boxes.getDimSize(0);
    size = tensorType(op.getImage()).getDimSize(1 + which);
    int64_t to = op.getCropSize()[which];
    auto corner = [&](int64_t column) -> Value {
      return SliceOp::create(e.b, e.loc, boxes.clone({count, 1}), op.getBoxes(),
                             ArrayRef<int64_t>{0, column},
                             ArrayRef<int64_t>{count, 1});
    };
    auto last = static_cast<double>(size - 1);
    Value first = corner(which), second = corner(which + 2);
    if (to > 1) {
      Value steps = IotaOp::create(e.b, e.loc, boxes.clone({to}));
      Value step = e.scale(e.sub(second, first), last / double(to - 1));
      place = e.add(e.scale(first, last), e.mul(step, steps));
    } else {
      place = e.scale(e.add(first, second), 0.5 * last);
    }
    Value isAfter = e.test<GreaterEqualOp>(place, e.number(place, 0));
    Value isBefore = e.test<LessEqualOp>(place, e.number(place, last));
    isInside =
        LogicalAndOp::create(e.b, e.loc, isAfter.getType(), isAfter, isBefore);
    // Coordinates outside of the image, and NaN, read the first pixel.
    place = e.where(isInside, place);
  }

  Value nearest() { return pixel(e.unary<FloorOp>(e.shift(place, 0.5))); }
  Value before() { return pixel(floor()); }
  Value after() { return pixel(e.unary<CeilOp>(place)); }
  /// The distance to the pixel before it, from 0 to 1.
  Value part() { return e.sub(place, floor()); }

  Value isInside; ///< within the image

private:
  Value floor() { return e.unary<FloorOp>(place); }
  Value pixel(Value number) { return e.cast(number, e.b.getI32Type()); }

  ReductionExpr e;
  Value place;
  int64_t size;
};

} // namespace

Results CropAndResizeOp::decompose(OpBuilder &b) {
  ReductionExpr e{{b, getLoc()}};
  RankedTensorType image = tensorType(getImage()), type = tensorType(getY());
  ArrayRef<int64_t> from = image.getShape(), to = type.getShape();
  Shape rows{to[0], to[1], 1}, columns{to[0], 1, to[2]};
  Shape cells{to[0], to[1], to[2], 1};
  if (image.getNumElements() == 0 || type.getNumElements() == 0)
    return one(
        splat(b, getLoc(), type, getExtrapolationValue().convertToDouble()));
  Value pixels = e.reshape(getImage(), {from[0] * from[1] * from[2], from[3]});
  Value images = e.reshape(getBoxInd(), {to[0], 1, 1});
  CropPlaces y(*this, e, 0), x(*this, e, 1);
  // An image that is not there has no pixels, whatever the sums are.
  Value zero = e.number(images, 0);
  Value isThere = LogicalAndOp::create(
      b, getLoc(), RankedTensorType::get({to[0], 1, 1}, b.getI1Type()),
      e.test<GreaterEqualOp>(images, zero),
      e.test<LessOp>(images, e.number(images, double(from[0]))));
  Value known = e.select(isThere, images, zero, images);
  auto at = [&](Value row, Value column) -> Value {
    Value place = e.add(e.scale(known, double(from[1])), e.reshape(row, rows));
    place = e.add(e.scale(place, double(from[2])), e.reshape(column, columns));
    return GatherOp::create(b, getLoc(), type, pixels, place, 0);
  };
  Value made;
  if (getMethod() == "nearest") {
    made = at(y.nearest(), x.nearest());
  } else {
    auto mix = [&](Value low, Value high, Value part) {
      return e.add(low, e.mul(e.sub(high, low), part));
    };
    Value along = e.reshape(x.part(), {to[0], 1, to[2], 1});
    Value down = e.reshape(y.part(), {to[0], to[1], 1, 1});
    Value top =
        mix(at(y.before(), x.before()), at(y.before(), x.after()), along);
    Value bottom =
        mix(at(y.after(), x.before()), at(y.after(), x.after()), along);
    made = mix(top, bottom, down);
  }
  auto both = [&](Value a, Value c) -> Value {
    auto shape =
        broadcastShapes(tensorType(a).getShape(), tensorType(c).getShape());
    return LogicalAndOp::create(
        b, getLoc(), RankedTensorType::get(*shape, b.getI1Type()), a, c);
  };
  Value isInside =
      both(both(e.reshape(y.isInside, rows), e.reshape(x.isInside, columns)),
           isThere);
  return one(e.select(e.reshape(isInside, cells), made,
                      e.number(made, getExtrapolationValue().convertToDouble()),
                      made));
}

//===-- Colours -----------------------------------------------------------===//

LogicalResult GrayscaleToRgbOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  Shape shape(type.getShape());
  if (shape.empty() || !fits(shape.back(), 1)) // (C1)
    return emitOpError() << "the operand has the type " << type
                         << ", expected one channel in the last dimension";
  shape.back() = 3;
  types.push_back(type.clone(shape));
  return success();
}

Results GrayscaleToRgbOp::decompose(OpBuilder &b) {
  return one(BroadcastToOp::create(b, getLoc(), getY().getType(), getX()));
}

LogicalResult AdjustBrightnessOp::inferTypes(Types &types) {
  types.push_back(getX().getType());
  return success();
}

Results AdjustBrightnessOp::decompose(OpBuilder &b) {
  return one(OpExpr{b, getLoc()}.shift(getX(), getDelta().convertToDouble()));
}

LogicalResult AdjustContrastOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (type.getRank() < 3) // (C1)
    return emitOpError() << "the operand has the type " << type
                         << ", expected three dimensions, HWC, at least";
  types.push_back(type);
  return success();
}

Results AdjustContrastOp::decompose(OpBuilder &b) {
  ReductionExpr e{{b, getLoc()}};
  int64_t rank = tensorType(getX()).getRank();
  Value mean = e.mean(getX(), {rank - 3, rank - 2}, /*keepDims=*/true);
  return one(
      e.add(e.scale(e.sub(getX(), mean), getContrastFactor().convertToDouble()),
            mean));
}
