// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices with strides and masks: which elements they take.
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"
#include "dialects/tfir/ops/arrange/TfirShapeOps.h"

#include <algorithm>

using namespace mlir;
using namespace graphc::tfir;

using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

static bool isOpen(int64_t size) { return ShapedType::isDynamic(size); }

namespace {

/// Places of a strided slice, dimension by dimension, and the shape of its
/// result.
struct SliceSpec {
  Shape begin, size, strides;
  Shape shape;
};

/// Places of a dimension as Python counts them: a range [begin, end) with a
/// stride, cut to what is there.
int64_t countPlaces(int64_t dim, int64_t &begin, int64_t end, int64_t stride,
                    bool fromFirst, bool toLast) {
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;
  auto placeOf = [&](int64_t x) {
    return std::clamp(x < 0 ? x + dim : x, low, high);
  };
  begin = fromFirst ? (stride > 0 ? low : high) : placeOf(begin);
  end = toLast ? (stride > 0 ? high : low) : placeOf(end);
  int64_t length = stride > 0 ? end - begin : begin - end;
  // |stride| of the least number is not one.
  auto step = static_cast<uint64_t>(stride);
  step = stride > 0 ? step : 0 - step;
  if (length <= 0)
    return 0;
  return static_cast<int64_t>((static_cast<uint64_t>(length) - 1) / step) + 1;
}

class SliceReader {
public:
  explicit SliceReader(StridedSliceOp op)
      : op(op), type(tensorType(op.getX())),
        entries(static_cast<int64_t>(op.getBegin().size())) {}

  FailureOr<SliceSpec> read();

private:
  bool has(uint64_t mask, int64_t entry) const {
    return entry < 64 && (mask >> entry & 1);
  }
  bool isEllipsis(int64_t entry) { return has(op.getEllipsisMask(), entry); }
  bool isNew(int64_t entry) {
    return !isEllipsis(entry) && has(op.getNewAxisMask(), entry);
  }
  bool isSingle(int64_t entry) {
    return !isNew(entry) && has(op.getShrinkAxisMask(), entry);
  }
  /// The next `count` dimensions as they are.
  void takeWhole(int64_t count);
  LogicalResult takeEntry(int64_t entry);

  StridedSliceOp op;
  RankedTensorType type;
  int64_t entries;
  SliceSpec spec;
};

void SliceReader::takeWhole(int64_t count) {
  for (; count > 0; --count) {
    int64_t size = type.getDimSize(spec.begin.size());
    spec.begin.push_back(0);
    spec.size.push_back(size);
    spec.strides.push_back(1);
    spec.shape.push_back(size);
  }
}

LogicalResult SliceReader::takeEntry(int64_t entry) {
  auto dim = static_cast<int64_t>(spec.begin.size());
  int64_t size = type.getDimSize(dim), begin = op.getBegin()[entry];
  int64_t stride = op.getStrides() ? (*op.getStrides())[entry] : 1;
  if (stride == 0 || (isSingle(entry) && stride < 0)) // (C2)
    return op.emitOpError()
           << "stride " << entry << " is " << stride
           << (stride ? ", expected a positive one where the dimension is "
                        "dropped"
                      : ", expected another number");
  if (isSingle(entry)) {
    int64_t place = begin < 0 && !isOpen(size) ? begin + size : begin;
    if (!isOpen(size) && (place < 0 || place >= size)) // (C4)
      return op.emitOpError() << "place " << begin << " does not exist in "
                              << "dimension " << dim << " of " << type;
    spec.begin.push_back(place);
    spec.size.push_back(1);
    spec.strides.push_back(1);
    return success();
  }
  int64_t count = size;
  if (!isOpen(size))
    count =
        countPlaces(size, begin, op.getEnd()[entry], stride,
                    has(op.getBeginMask(), entry), has(op.getEndMask(), entry));
  spec.begin.push_back(begin);
  spec.size.push_back(count);
  spec.strides.push_back(stride);
  spec.shape.push_back(count);
  return success();
}

FailureOr<SliceSpec> SliceReader::read() {
  if (static_cast<int64_t>(op.getEnd().size()) != entries ||
      (op.getStrides() &&
       static_cast<int64_t>(op.getStrides()->size()) != entries)) // (C1)
    return op.emitOpError()
           << "has " << entries << " begins, " << op.getEnd().size()
           << " ends and "
           << (op.getStrides() ? op.getStrides()->size() : entries)
           << " strides, expected one of each per entry";
  int64_t ellipses = 0, taken = 0;
  for (int64_t entry = 0; entry < entries; ++entry) {
    ellipses += isEllipsis(entry);
    taken += !isEllipsis(entry) && !isNew(entry);
  }
  int64_t rank = type.getRank();
  if (ellipses > 1 || taken > rank) // (C3)
    return op.emitOpError()
           << "has " << ellipses << " ellipses and " << taken
           << " entries for the dimensions of " << type
           << ", expected one ellipsis and " << rank << " entries at most";
  for (int64_t entry = 0; entry < entries; ++entry)
    if (isEllipsis(entry))
      takeWhole(rank - taken);
    else if (isNew(entry))
      spec.shape.push_back(1);
    else if (failed(takeEntry(entry)))
      return failure();
  takeWhole(rank - static_cast<int64_t>(spec.begin.size()));
  return spec;
}

} // namespace

LogicalResult StridedSliceOp::inferTypes(Types &types) {
  FailureOr<SliceSpec> spec = SliceReader(*this).read();
  if (failed(spec))
    return failure();
  types.push_back(tensorType(getX()).clone(spec->shape));
  return success();
}

FailureOr<SmallVector<Value>> StridedSliceOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  FailureOr<SliceSpec> spec = SliceReader(*this).read();
  bool isDense = true;
  for (auto [begin, size, stride] :
       llvm::zip(spec->begin, spec->size, spec->strides)) {
    begin = size == 0 ? 0 : begin;
    stride = size <= 1 ? 1 : stride;
    isDense &= stride == 1;
  }
  Value taken = isDense
                    ? e.slice(getX(), spec->begin, spec->size)
                    : e.block(getX(), spec->begin, spec->size, spec->strides);
  return SmallVector<Value>{e.reshape(taken, spec->shape)};
}
