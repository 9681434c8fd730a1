// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of pixels, flips, sequences: which elements go where.
#include "dialects/tfir/ops/arrange/TfirSpatialOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirSpatialOps.cpp.inc"

namespace {

Results one(Value value) { return SmallVector<Value>{value}; }

bool isOpen(int64_t size) { return ShapedType::isDynamic(size); }

int64_t times(int64_t size, int64_t factor) {
  return isOpen(size) ? size : size * factor;
}

/// Null: no multiple. An open size stays open.
std::optional<int64_t> divided(int64_t size, int64_t by) {
  if (isOpen(size))
    return size;
  if (size % by != 0)
    return std::nullopt;
  return size / by;
}

LogicalResult verifyImages(Operation *op, RankedTensorType type) {
  if (type.getRank() == 4)
    return success();
  return op->emitOpError() << "the operand has the type " << type
                           << ", expected four dimensions, NHWC";
}

/// Checks the sizes of blocks: more than 2^20 are a slip of the keyboard.
LogicalResult verifyBlockSize(Operation *op, int64_t size) {
  if (size >= 1 && size <= (1 << 20))
    return success();
  return op->emitOpError() << "has blocks of size " << size
                           << ", expected 1 to 2^20";
}

} // namespace

//===-- Depth -------------------------------------------------------------===//

LogicalResult SpaceToDepthOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  auto block = static_cast<int64_t>(getBlockSize());
  if (failed(verifyImages(*this, type)) ||   // (C1)
      failed(verifyBlockSize(*this, block))) // (C2)
    return failure();
  ArrayRef<int64_t> from = type.getShape();
  std::optional<int64_t> height = divided(from[1], block);
  std::optional<int64_t> width = divided(from[2], block);
  if (!height || !width) // (C2)
    return emitOpError() << "cannot divide " << type << " into squares of "
                         << block << " pixels; pad it with tfir.pad";
  types.push_back(
      type.clone({from[0], *height, *width, times(from[3], block * block)}));
  return success();
}

Results SpaceToDepthOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  auto block = static_cast<int64_t>(getBlockSize());
  ArrayRef<int64_t> from = tensorType(getX()).getShape();
  Value squares = e.reshape(getX(), {from[0], from[1] / block, block,
                                     from[2] / block, block, from[3]});
  return one(e.reshape(e.transpose(squares, {0, 1, 3, 2, 4, 5}),
                       getY().getType().getShape()));
}

LogicalResult DepthToSpaceOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  auto block = static_cast<int64_t>(getBlockSize());
  if (failed(verifyImages(*this, type)) ||   // (C1)
      failed(verifyBlockSize(*this, block))) // (C2)
    return failure();
  ArrayRef<int64_t> from = type.getShape();
  std::optional<int64_t> channels = divided(from[3], block * block);
  if (!channels) // (C2)
    return emitOpError() << "cannot divide the channels of " << type
                         << " into squares of " << block << " pixels";
  types.push_back(type.clone(
      {from[0], times(from[1], block), times(from[2], block), *channels}));
  return success();
}

Results DepthToSpaceOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  auto block = static_cast<int64_t>(getBlockSize());
  ArrayRef<int64_t> from = tensorType(getX()).getShape();
  Value squares = e.reshape(getX(), {from[0], from[1], from[2], block, block,
                                     from[3] / (block * block)});
  return one(e.reshape(e.transpose(squares, {0, 1, 3, 2, 4, 5}),
                       getY().getType().getShape()));
}

//===-- Batch -------------------------------------------------------------===//

namespace {

/// `sides` are paddings or crops, named by `name`.
LogicalResult verifyBlocks(Operation *op, RankedTensorType type,
                           ArrayRef<int64_t> blocks, ArrayRef<int64_t> sides,
                           StringRef name) {
  if (type.getRank() < static_cast<int64_t>(blocks.size()) + 1) // (C1)
    return op->emitOpError()
           << "the operand has the type " << type << ", expected a batch and "
           << blocks.size() << " dimensions as in block_shape";
  int64_t all = 1;
  for (int64_t block : blocks) {
    if (failed(verifyBlockSize(op, block))) // (C2)
      return failure();
    if (llvm::MulOverflow(all, block, all))
      return op->emitOpError() << "has blocks of more than 2^63 - 1 elements";
  }
  if (sides.size() != 2 * blocks.size() ||
      llvm::any_of(sides, [](int64_t n) { return n < 0; })) // (C2)
    return op->emitOpError()
           << "has " << sides.size() << " " << name << " for " << blocks.size()
           << " dimensions, expected two for each, none "
              "negative";
  return success();
}

int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

} // namespace

LogicalResult SpaceToBatchOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (failed(verifyBlocks(*this, type, getBlockShape(), getPaddings(),
                          "paddings")))
    return failure();
  Shape shape(type.getShape());
  shape[0] = times(shape[0], productOf(getBlockShape()));
  for (auto [i, block] : llvm::enumerate(getBlockShape())) {
    int64_t &size = shape[i + 1];
    if (isOpen(size))
      continue;
    std::optional<int64_t> blocks;
    if (!llvm::AddOverflow(size, getPaddings()[2 * i], size) &&
        !llvm::AddOverflow(size, getPaddings()[2 * i + 1], size))
      blocks = divided(size, block);
    if (!blocks) // (C3)
      return emitOpError() << "cannot divide dimension " << i + 1 << " of "
                           << type << ", padded, into blocks of " << block;
    size = *blocks;
  }
  types.push_back(type.clone(shape));
  return success();
}

Results SpaceToBatchOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  RankedTensorType type = tensorType(getX());
  Shape padded(type.getShape()), begin(padded.size(), 0);
  for (size_t i = 0; i < getBlockShape().size(); ++i) {
    begin[i + 1] = getPaddings()[2 * i];
    padded[i + 1] += getPaddings()[2 * i] + getPaddings()[2 * i + 1];
  }
  Value x = getX();
  if (padded != Shape(type.getShape()))
    x = e.place(x, padded, begin, Shape(padded.size(), 1), 0);
  // [n, s0, b0, s1, b1, ..., rest] -> [b0, b1, ..., n, s0, s1, ..., rest]
  Shape parts{padded[0]}, inner, outer{0};
  for (auto [i, block] : llvm::enumerate(getBlockShape())) {
    outer.push_back(parts.size());
    parts.push_back(padded[i + 1] / block);
    inner.push_back(parts.size());
    parts.push_back(block);
  }
  for (int64_t size : ArrayRef(padded).drop_front(outer.size())) {
    outer.push_back(parts.size());
    parts.push_back(size);
  }
  llvm::append_range(inner, outer);
  return one(e.reshape(e.transpose(e.reshape(x, parts), inner),
                       getY().getType().getShape()));
}

LogicalResult BatchToSpaceOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (failed(verifyBlocks(*this, type, getBlockShape(), getCrops(), "crops")))
    return failure();
  Shape shape(type.getShape());
  std::optional<int64_t> batch = divided(shape[0], productOf(getBlockShape()));
  if (!batch) // (C3)
    return emitOpError() << "cannot divide the batch of " << type << " into "
                         << productOf(getBlockShape()) << " parts";
  shape[0] = *batch;
  for (auto [i, block] : llvm::enumerate(getBlockShape())) {
    int64_t &size = shape[i + 1], cropped = 0;
    if (isOpen(size))
      continue;
    bool fits =
        !llvm::MulOverflow(size, block, size) &&
        !llvm::AddOverflow(getCrops()[2 * i], getCrops()[2 * i + 1], cropped) &&
        cropped <= size;
    if (!fits) // (C3)
      return emitOpError() << "crops " << cropped << " places of dimension "
                           << i + 1 << ", which has " << size;
    size -= cropped;
  }
  types.push_back(type.clone(shape));
  return success();
}

Results BatchToSpaceOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  ArrayRef<int64_t> from = tensorType(getX()).getShape();
  auto count = static_cast<int64_t>(getBlockShape().size());
  // [b0, b1, ..., n, s0, s1, ..., rest] -> [n, s0, b0, s1, b1, ..., rest]
  Shape parts(getBlockShape()), perm{count};
  int64_t batch = from[0] / productOf(getBlockShape());
  parts.push_back(batch);
  llvm::append_range(parts, from.drop_front());
  Shape whole{batch}, begin(from.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    perm.push_back(count + 1 + i);
    perm.push_back(i);
    whole.push_back(from[i + 1] * getBlockShape()[i]);
    begin[i + 1] = getCrops()[2 * i];
  }
  for (size_t dim = count + 1; dim < from.size(); ++dim) {
    perm.push_back(count + static_cast<int64_t>(dim));
    whole.push_back(from[dim]);
  }
  Value y = e.reshape(e.transpose(e.reshape(getX(), parts), perm), whole);
  ArrayRef<int64_t> shape = getY().getType().getShape();
  return one(whole == Shape(shape) ? y : e.slice(y, begin, shape));
}

//===-- Patches -----------------------------------------------------------===//

namespace {

/// The distances of a window's pixels.
Shape ratesOf(ExtractPatchesOp op) {
  return op.getRates() ? Shape(*op.getRates()) : Shape{1, 1};
}

/// The window along dimension `i` of the two of an image.
Window patchWindow(ExtractPatchesOp op, size_t i) {
  int64_t extent = (op.getKsizes()[i] - 1) * ratesOf(op)[i] + 1;
  return windowOf(tensorType(op.getX()).getDimSize(i + 1), extent,
                  op.getStrides()[i], op.getPadding() == "SAME");
}

} // namespace

LogicalResult ExtractPatchesOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (failed(verifyImages(*this, type))) // (C1)
    return failure();
  Shape rates = ratesOf(*this);
  for (ArrayRef<int64_t> list :
       {getKsizes(), getStrides(), ArrayRef<int64_t>(rates)})
    if (list.size() != 2 ||
        llvm::any_of(list, [](int64_t n) { return n < 1 || n > 4096; })) // (C2)
      return emitOpError() << "has ksizes, strides or rates other than two "
                              "numbers from 1 to 4096";
  if (getPadding() != "SAME" && getPadding() != "VALID") // (C3)
    return emitOpError() << "the padding is '" << getPadding()
                         << "', expected 'SAME' or 'VALID'";
  Shape shape(type.getShape());
  for (size_t i = 0; i < 2; ++i)
    if (!isOpen(shape[i + 1]))
      shape[i + 1] = patchWindow(*this, i).out;
  shape[3] = times(shape[3], getKsizes()[0] * getKsizes()[1]);
  types.push_back(type.clone(shape));
  return success();
}

Results ExtractPatchesOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  Shape rates = ratesOf(*this), padded(tensorType(getX()).getShape());
  Shape shape(getY().getType().getShape()), before(4, 0);
  bool isPadded = false;
  for (size_t i = 0; i < 2; ++i) {
    Window window = patchWindow(*this, i);
    int64_t extent = (getKsizes()[i] - 1) * rates[i] + 1;
    int64_t last = (window.out - 1) * getStrides()[i] + extent;
    int64_t size = padded[i + 1];
    before[i + 1] = window.padBefore;
    padded[i + 1] = std::max(size + window.padBefore, last);
    isPadded |= padded[i + 1] != size;
  }
  Value x = getX();
  if (isPadded)
    x = e.place(x, padded, before, Shape(4, 1), 0);
  shape[3] = padded[3];
  SmallVector<Value> parts;
  for (int64_t i = 0; i < getKsizes()[0]; ++i)
    for (int64_t j = 0; j < getKsizes()[1]; ++j)
      parts.push_back(e.block(x, {0, i * rates[0], j * rates[1], 0}, shape,
                              {1, getStrides()[0], getStrides()[1], 1}));
  return one(e.concat(parts, 3));
}

//===-- Images ------------------------------------------------------------===//

namespace {

template <typename Op> LogicalResult inferFlip(Op op, Types &types) {
  RankedTensorType type = tensorType(op.getX());
  if (type.getRank() != 3 && type.getRank() != 4) // (C1)
    return op.emitOpError() << "the operand has the type " << type
                            << ", expected three dimensions, HWC, or four, "
                               "NHWC";
  types.push_back(type);
  return success();
}

} // namespace

LogicalResult FlipLeftRightOp::inferTypes(Types &types) {
  return inferFlip(*this, types);
}
LogicalResult FlipUpDownOp::inferTypes(Types &types) {
  return inferFlip(*this, types);
}

Results FlipLeftRightOp::decompose(OpBuilder &b) {
  return one(ArrangeExpr{b, getLoc()}.reverse(
      getX(), tensorType(getX()).getRank() - 2));
}
Results FlipUpDownOp::decompose(OpBuilder &b) {
  return one(ArrangeExpr{b, getLoc()}.reverse(
      getX(), tensorType(getX()).getRank() - 3));
}

LogicalResult RgbToGrayscaleOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  Type element = type.getElementType();
  if (!isa<FloatType>(element) && !element.isUnsignedInteger(8)) // (C1)
    return emitOpError() << "the operand has the type " << type
                         << ", expected floats or ui8; cast it with tfir.cast";
  Shape shape(type.getShape());
  if (shape.empty() || (shape.back() != 3 && !isOpen(shape.back()))) // (C2)
    return emitOpError() << "the operand has the type " << type
                         << ", expected red, green and blue in the last "
                            "dimension";
  shape.back() = 1;
  types.push_back(type.clone(shape));
  return success();
}

Results RgbToGrayscaleOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  ArrangeExpr a{b, getLoc()};
  RankedTensorType type = getY().getType();
  bool isBytes = !isa<FloatType>(type.getElementType());
  int64_t last = type.getRank() - 1;
  auto floats = RankedTensorType::get(type.getShape(), b.getF32Type());
  constexpr double kWeights[] = {0.2989, 0.587, 0.114};
  Value sum;
  for (auto [channel, weight] : llvm::enumerate(kWeights)) {
    Value x = a.sliceAlong(getX(), last, channel, 1);
    if (isBytes)
      x = e.scale(CastOp::create(b, getLoc(), floats, x), 1.0 / 255);
    x = e.scale(x, weight);
    sum = sum ? e.add(sum, x) : x;
  }
  if (!isBytes)
    return one(sum);
  return one(CastOp::create(b, getLoc(), type, e.scale(sum, 255.5)));
}

//===-- Sequences ---------------------------------------------------------===//

LogicalResult ReverseSequenceOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  RankedTensorType lengths = tensorType(getSeqLengths());
  FailureOr<int64_t> sequence = normalizeAxis(
      *this, static_cast<int64_t>(getSeqAxis()), type.getRank(), "the operand");
  FailureOr<int64_t> batch =
      failed(sequence)
          ? FailureOr<int64_t>(failure())
          : normalizeAxis(*this, static_cast<int64_t>(getBatchAxis()),
                          type.getRank(), "the operand");
  if (failed(batch)) // (C1)
    return failure();
  if (*sequence == *batch) // (C1)
    return emitOpError() << "has axis " << *batch
                         << " for sequences and batch, expected two";
  if (lengths.getRank() != 1 ||
      failed(verifyCompatibleShape(lengths.getDimSize(0),
                                   type.getDimSize(*batch)))) // (C2)
    return emitOpError() << "has lengths of type " << lengths
                         << ", expected one for each place of dimension "
                         << *batch << " of " << type;
  types.push_back(type);
  return success();
}

SmallVector<Value> ReverseSequenceOp::lowerToLinalg(OpBuilder &b,
                                                    ValueRange operands) {
  RankedTensorType type = tensorType(operands[0]);
  auto positive = [&](uint64_t axis) {
    auto place = static_cast<int64_t>(axis);
    return place < 0 ? place + type.getRank() : place;
  };
  int64_t sequence = positive(getSeqAxis()), batch = positive(getBatchAxis());
  int64_t size = type.getDimSize(sequence);
  return {buildFromIndices(
      b, getLoc(), type,
      [&](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        Value length =
            tensor::ExtractOp::create(b, loc, operands[1], indices[batch]);
        length = arith::IndexCastOp::create(b, loc, b.getIndexType(), length);
        length = arith::MinSIOp::create(
            b, loc, length, arith::ConstantIndexOp::create(b, loc, size));
        Value place = indices[sequence];
        Value last = arith::SubIOp::create(
            b, loc, length, arith::ConstantIndexOp::create(b, loc, 1));
        Value turned = arith::SubIOp::create(b, loc, last, place);
        Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                              place, length);
        SmallVector<Value> from(indices);
        from[sequence] =
            arith::SelectOp::create(b, loc, isFirst, turned, place);
        return tensor::ExtractOp::create(b, loc, operands[0], from);
      })};
}

bool ReverseSequenceOp::gathersOperands() { return true; }
bool ReverseSequenceOp::keepsRows() { return false; }

LogicalResult ReverseSequenceOp::buildGradient(OpBuilder &b,
                                               ValueRange gradients,
                                               MutableArrayRef<Value> result) {
  result[0] =
      ReverseSequenceOp::create(b, getLoc(), getX().getType(), gradients[0],
                                getSeqLengths(), getSeqAxis(), getBatchAxis());
  return success();
}
