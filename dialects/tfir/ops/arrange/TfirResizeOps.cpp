// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images of another size: tables of which pixels a pixel is made of.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"
#include "dialects/tfir/ops/arrange/TfirSpatialOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

namespace {

constexpr int64_t kMaxWeights = 32;

/// Weights of the operand's places, for each place of the result.
using Table = std::vector<std::map<int64_t, double>>;

/// Sums along a dimension by a table; several ops where its rows are long.
Value resample(OpBuilder &b, Location loc, Value x, int64_t axis,
               const Table &table) {
  RankedTensorType type = tensorType(x);
  Type element = type.getElementType();
  auto rows = static_cast<int64_t>(table.size());
  int64_t width = 1;
  for (const auto &row : table)
    if (!row.empty())
      width = std::max(width, row.rbegin()->first - row.begin()->first + 1);
  Shape shape(type.getShape());
  shape[axis] = rows;
  Value sum;
  for (int64_t begin = 0; begin < width; begin += kMaxWeights) {
    int64_t count = std::min(width - begin, kMaxWeights);
    SmallVector<Attribute> weights;
    SmallVector<int32_t> starts;
    for (const auto &row : table) {
      int64_t first = row.empty() ? 0 : row.begin()->first + begin;
      starts.push_back(static_cast<int32_t>(first));
      for (int64_t k = 0; k < count; ++k) {
        auto found = row.find(first + k);
        double weight = found == row.end() ? 0 : found->second;
        if (isa<FloatType>(element))
          weights.push_back(b.getFloatAttr(element, weight));
        else
          weights.push_back(
              b.getIntegerAttr(element, static_cast<int64_t>(weight)));
      }
    }
    auto weightsType = RankedTensorType::get({rows, count}, element);
    auto startsType = RankedTensorType::get({rows}, b.getI32Type());
    Value part = ResampleOp::create(
        b, loc, type.clone(shape), x,
        ConstOp::create(b, loc, weightsType,
                        DenseElementsAttr::get(weightsType, weights)),
        ConstOp::create(
            b, loc, startsType,
            DenseElementsAttr::get(startsType, ArrayRef<int32_t>(starts))),
        axis);
    sum = sum ? OpExpr{b, loc}.add(sum, part) : part;
  }
  return sum;
}

int64_t axisOf(ResampleOp op) {
  auto axis = static_cast<int64_t>(op.getAxis());
  return axis < 0 ? axis + tensorType(op.getX()).getRank() : axis;
}

} // namespace

//===-- resample ----------------------------------------------------------===//

LogicalResult ResampleOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  RankedTensorType weights = tensorType(getWeights());
  RankedTensorType starts = tensorType(getStarts());
  FailureOr<int64_t> axis = normalizeAxis(
      *this, static_cast<int64_t>(getAxis()), type.getRank(), "the operand");
  if (failed(axis)) // (C1)
    return failure();
  if (type.getDimSize(*axis) == 0) // (C1)
    return emitOpError() << "reads dimension " << *axis << " of " << type
                         << ", which is empty";
  if (weights.getRank() != 2 || !weights.hasStaticShape() ||
      weights.getDimSize(1) < 1 || weights.getDimSize(1) > kMaxWeights ||
      weights.getElementType() != type.getElementType()) // (C3)
    return emitOpError() << "has weights of type " << weights
                         << ", expected rows of 1 to " << kMaxWeights
                         << " of the element type " << type.getElementType();
  if (starts.getRank() != 1 ||
      starts.getDimSize(0) != weights.getDimSize(0)) // (C2)
    return emitOpError() << "has starts of type " << starts << " for "
                         << weights.getDimSize(0) << " rows of weights";
  Shape shape(type.getShape());
  shape[*axis] = weights.getDimSize(0);
  types.push_back(type.clone(shape));
  return success();
}

SmallVector<Value> ResampleOp::lowerToLinalg(OpBuilder &b,
                                             ValueRange operands) {
  RankedTensorType to = lowerType(getY().getType());
  Type element = to.getElementType();
  bool isFloat = isa<FloatType>(element);
  int64_t axis = axisOf(*this);
  int64_t last = tensorType(getX()).getDimSize(axis) - 1;
  int64_t count = tensorType(getWeights()).getDimSize(1);
  return {buildFromIndices(
      b, getLoc(), to,
      [&](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        Value start =
            tensor::ExtractOp::create(b, loc, operands[2], indices[axis]);
        start = arith::IndexCastOp::create(b, loc, b.getIndexType(), start);
        Value zero = scalar(b, loc, element, 0), sum;
        for (int64_t k = 0; k < count; ++k) {
          Value offset = arith::ConstantIndexOp::create(b, loc, k);
          Value place = arith::AddIOp::create(b, loc, start, offset);
          place = arith::MaxSIOp::create(
              b, loc, place, arith::ConstantIndexOp::create(b, loc, 0));
          place = arith::MinSIOp::create(
              b, loc, place, arith::ConstantIndexOp::create(b, loc, last));
          SmallVector<Value> from(indices);
          from[axis] = place;
          Value x = tensor::ExtractOp::create(b, loc, operands[0], from);
          Value weight = tensor::ExtractOp::create(
              b, loc, operands[1], ValueRange{indices[axis], offset});
          Value term, isNone;
          if (isFloat) {
            term = arith::MulFOp::create(b, loc, x, weight);
            isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                           weight, zero);
          } else {
            term = arith::MulIOp::create(b, loc, x, weight);
            isNone = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           weight, zero);
          }
          // An element without weight may be NaN or infinite.
          term = arith::SelectOp::create(b, loc, isNone, zero, term);
          if (!sum)
            sum = term;
          else if (isFloat)
            sum = arith::AddFOp::create(b, loc, sum, term);
          else
            sum = arith::AddIOp::create(b, loc, sum, term);
        }
        return sum;
      })};
}

bool ResampleOp::gathersOperands() { return true; }
bool ResampleOp::keepsRows() { return false; }

LogicalResult ResampleOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                        MutableArrayRef<Value> result) {
  DenseElementsAttr weights, starts;
  if (auto constant = getWeights().getDefiningOp<ConstOp>())
    weights = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (auto constant = getStarts().getDefiningOp<ConstOp>())
    starts = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!weights || !starts)
    return emitOpError() << "has no gradient, since its weights and starts "
                            "are no constants; make them tfir.const";
  int64_t size = tensorType(getX()).getDimSize(axisOf(*this));
  int64_t count = weights.getType().getDimSize(1);
  Table transposed(size);
  auto weight = weights.value_begin<APFloat>();
  for (auto [row, start] : llvm::enumerate(starts.getValues<APInt>()))
    for (int64_t k = 0; k < count; ++k, ++weight)
      if (!(*weight).isZero()) {
        int64_t place =
            std::clamp<int64_t>(start.getSExtValue() + k, 0, size - 1);
        transposed[place][static_cast<int64_t>(row)] +=
            (*weight).convertToDouble();
      }
  result[0] = resample(b, getLoc(), gradients[0], axisOf(*this), transposed);
  return success();
}

//===-- Sizes of images ---------------------------------------------------===//

namespace {

/// Places in the operand of places of the result, along a dimension; in single
/// precision, as TensorFlow has it.
struct Scale {
  int64_t from, to;
  bool alignCorners, halfPixel;

  float factor() const {
    if (alignCorners && to > 1)
      return static_cast<float>(from - 1) / static_cast<float>(to - 1);
    return static_cast<float>(from) / static_cast<float>(to);
  }
  float place(int64_t i) const {
    auto at = static_cast<float>(i);
    return halfPixel ? (at + 0.5F) * factor() - 0.5F : at * factor();
  }
  int64_t inside(double x) const {
    return std::clamp<int64_t>(static_cast<int64_t>(x), 0, from - 1);
  }
};

using Row = std::map<int64_t, double>;

Row nearestRow(const Scale &scale, int64_t i) {
  auto at = static_cast<float>(i);
  float place =
      scale.halfPixel ? (at + 0.5F) * scale.factor() : at * scale.factor();
  float rounded = scale.alignCorners ? std::round(place) : std::floor(place);
  return {{scale.inside(rounded), 1}};
}

Row bilinearRow(const Scale &scale, int64_t i) {
  float place = scale.place(i), floor = std::floor(place);
  double part = place - floor;
  Row row;
  row[scale.inside(floor)] += 1 - part;
  if (part > 0)
    row[scale.inside(std::ceil(place))] += part;
  return row;
}

Row bicubicRow(const Scale &scale, int64_t i) {
  float place = scale.place(i), floor = std::floor(place);
  double a = scale.halfPixel ? -0.5 : -0.75, part = place - floor;
  auto cubic = [a](double x) {
    if (x <= 1)
      return ((a + 2) * x - (a + 3)) * x * x + 1;
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  };
  double weights[] = {cubic(1 + part), cubic(part), cubic(1 - part),
                      cubic(2 - part)};
  Row row;
  double sum = 0;
  for (auto [k, weight] : llvm::enumerate(weights)) {
    int64_t at = static_cast<int64_t>(floor) + static_cast<int64_t>(k) - 1;
    bool isThere = at == scale.inside(static_cast<double>(at));
    if (scale.halfPixel && !isThere)
      continue;
    sum += weight;
    if (weight != 0)
      row[scale.inside(static_cast<double>(at))] += weight;
  }
  if (scale.halfPixel)
    for (auto &entry : row)
      entry.second /= sum;
  return row;
}

template <typename Op>
LogicalResult inferResize(Op op, Type element, Types &types) {
  RankedTensorType type = tensorType(op.getImages());
  int64_t rank = type.getRank();
  if ((rank != 3 && rank != 4) ||
      llvm::is_contained(type.getShape().drop_front(rank - 3).take_front(2),
                         0)) // (C1)
    return op.emitOpError() << "the images have the type " << type
                            << ", expected three dimensions, HWC, or four, "
                               "NHWC, with pixels";
  if (op.getSize().size() != 2 || llvm::any_of(op.getSize(), [](int64_t n) {
        return n < 1 || n > (1 << 24);
      })) // (C2)
    return op.emitOpError() << "the size must be a height and a width from 1 "
                               "to 2^24";
  if (op.getAlignCorners() && op.getHalfPixelCenters()) // (C3)
    return op.emitOpError() << "has align_corners and half_pixel_centers; "
                               "leave one of them out";
  Shape shape(type.getShape());
  shape[rank - 3] = op.getSize()[0];
  shape[rank - 2] = op.getSize()[1];
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

Type floatOf(Value images) {
  Type element = tensorType(images).getElementType();
  return isa<FloatType>(element) ? element
                                 : Type(Float32Type::get(element.getContext()));
}

template <typename Op>
Value resize(Op op, OpBuilder &b, Row (*rowOf)(const Scale &, int64_t)) {
  Location loc = op.getLoc();
  Value y = op.getImages();
  RankedTensorType to = op.getY().getType(), from = tensorType(y);
  if (from.getElementType() != to.getElementType())
    y = CastOp::create(b, loc, to.clone(from.getShape()), y);
  int64_t height = to.getRank() - 3, width = height + 1;
  // The way with fewer pixels between the two.
  double rowsFirst = static_cast<double>(to.getDimSize(height)) *
                     static_cast<double>(from.getDimSize(width));
  double columnsFirst = static_cast<double>(from.getDimSize(height)) *
                        static_cast<double>(to.getDimSize(width));
  int64_t first = rowsFirst <= columnsFirst ? height : width;
  for (int64_t axis : {first, height + width - first}) {
    Scale scale{from.getDimSize(axis), to.getDimSize(axis),
                op.getAlignCorners(), op.getHalfPixelCenters()};
    if (scale.from == scale.to)
      continue;
    Table table;
    for (int64_t i = 0; i < scale.to; ++i)
      table.push_back(rowOf(scale, i));
    y = resample(b, loc, y, axis, table);
  }
  return ReshapeOp::create(b, loc, to, y);
}

} // namespace

LogicalResult ResizeNearestOp::inferTypes(Types &types) {
  return inferResize(*this, tensorType(getImages()).getElementType(), types);
}
LogicalResult ResizeBilinearOp::inferTypes(Types &types) {
  return inferResize(*this, floatOf(getImages()), types);
}
LogicalResult ResizeBicubicOp::inferTypes(Types &types) {
  return inferResize(*this, floatOf(getImages()), types);
}

Results ResizeNearestOp::decompose(OpBuilder &b) {
  return SmallVector<Value>{resize(*this, b, nearestRow)};
}
Results ResizeBilinearOp::decompose(OpBuilder &b) {
  return SmallVector<Value>{resize(*this, b, bilinearRow)};
}
Results ResizeBicubicOp::decompose(OpBuilder &b) {
  return SmallVector<Value>{resize(*this, b, bicubicRow)};
}
