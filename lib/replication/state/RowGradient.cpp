// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lookup's gradient is a sum by segment, of which the ids are the rows of the
// table. The distinct ones among the ids of all lookups are numbered, and the
// gradient is computed once more with the numbers for the ids:
//
//   %0 = unsorted_segment_sum %a, %i {num_segments = 50000}
//   %1 = unsorted_segment_sum %b, %j {num_segments = 50000}
//   %g = add %0, %1
//     -> %rows, %k = unique (concat %i, %j)
//        %0 = unsorted_segment_sum %a, (slice of %k) {num_segments = 20} ...
#include "lib/replication/state/RowGradient.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/gather/TfirGatherOps.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

/// A table has to have so many times the rows that are touched: finding these
/// costs more than a pass over a few rows.
static constexpr int64_t kSparseRatio = 4;

static int64_t countOf(UnsortedSegmentSumOp sum) {
  return tensorType(sum.getSegmentIds()).getNumElements();
}

static bool isRowSum(Operation *op) {
  auto sum = dyn_cast_if_present<UnsortedSegmentSumOp>(op);
  return sum && countOf(sum) < static_cast<int64_t>(sum.getNumSegments());
}

static bool isScalar(Value value) { return tensorType(value).getRank() == 0; }

/// Operands of a sum or a multiple that have its shape; none for other ops.
static SmallVector<Value> termsOf(Operation *op) {
  if (auto add = dyn_cast<AddOp>(op)) {
    if (add.getX().getType() == add.getType() &&
        add.getY().getType() == add.getType())
      return {add.getX(), add.getY()};
  } else if (auto mul = dyn_cast<MulOp>(op)) {
    if (!isScalar(mul.getZ()) && isScalar(mul.getY()))
      return {mul.getX()};
    if (!isScalar(mul.getZ()) && isScalar(mul.getX()))
      return {mul.getY()};
  }
  return {};
}

bool isRowLookup(Operation *op, Value table) {
  auto gather = dyn_cast<GatherOp>(op);
  return gather && gather.getAxis() == 0 && gather.getParams() == table &&
         tensorType(gather.getIndices()).getNumElements() <
             tensorType(table).getDimSize(0);
}

RowGradients::RowGradients(Block &block) {
  for (Operation &op : block) {
    SmallVector<Value> terms = termsOf(&op);
    if (isRowSum(&op) ||
        (!terms.empty() && llvm::all_of(terms, [&](Value term) {
          return made.contains(term.getDefiningOp());
        })))
      made.insert(&op);
  }
}

namespace {

class RowsBuilder {
public:
  explicit RowsBuilder(OpBuilder &builder, Location loc)
      : b(builder), loc(loc) {}

  bool find(Value gradient);
  std::optional<TouchedRows> build(Value gradient);

private:
  Value flatIds();
  Value inRows(Value gradient);
  RankedTensorType withCount(Type type) const {
    auto table = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(table.getShape());
    shape[0] = count;
    return table.clone(shape);
  }

  OpBuilder &b;
  Location loc;
  SmallVector<UnsortedSegmentSumOp> sums; ///< in the order of their rows
  DenseMap<Operation *, Value> numbers;   ///< of the rows of each sum
  DenseMap<Value, Value> known;
  int64_t count = 0; ///< rows of all of them
};

/// Collects the sums that a gradient consists of.
bool RowsBuilder::find(Value gradient) {
  Operation *op = gradient.getDefiningOp();
  if (!op)
    return false;
  if (isRowSum(op)) {
    auto sum = cast<UnsortedSegmentSumOp>(op);
    if (!llvm::is_contained(sums, sum)) {
      sums.push_back(sum);
      count += countOf(sum);
    }
    return true;
  }
  SmallVector<Value> terms = termsOf(op);
  return !terms.empty() &&
         llvm::all_of(terms, [&](Value term) { return find(term); });
}

/// The ids of all sums in one list, of the widest of their types.
Value RowsBuilder::flatIds() {
  Type element = b.getI32Type();
  for (UnsortedSegmentSumOp sum : sums)
    if (getElementTypeOrSelf(sum.getSegmentIds().getType()).isInteger(64))
      element = b.getI64Type();
  SmallVector<Value> parts;
  for (UnsortedSegmentSumOp sum : sums) {
    Value ids = sum.getSegmentIds();
    RankedTensorType type = tensorType(ids);
    if (type.getElementType() != element) {
      type = RankedTensorType::get(type.getShape(), element);
      ids = CastOp::create(b, loc, type, ids);
    }
    if (type.getRank() != 1)
      ids = ReshapeOp::create(b, loc, type.clone({type.getNumElements()}), ids);
    parts.push_back(ids);
  }
  if (parts.size() == 1)
    return parts.front();
  return ConcatOp::create(b, loc, RankedTensorType::get({count}, element),
                          parts, /*axis=*/0);
}

Value RowsBuilder::inRows(Value gradient) {
  Value &found = known[gradient];
  if (found)
    return found;
  Operation *op = gradient.getDefiningOp();
  RankedTensorType type = withCount(gradient.getType());
  Value made;
  if (auto sum = dyn_cast<UnsortedSegmentSumOp>(op)) {
    made = UnsortedSegmentSumOp::create(b, loc, type, sum.getData(),
                                        numbers.lookup(op), count);
  } else if (auto add = dyn_cast<AddOp>(op)) {
    Value x = inRows(add.getX()), y = inRows(add.getY());
    made = AddOp::create(b, loc, type, x, y);
  } else {
    auto mul = cast<MulOp>(op);
    bool isLeft = isScalar(mul.getX());
    Value x = isLeft ? mul.getX() : inRows(mul.getX());
    Value y = isLeft ? inRows(mul.getY()) : mul.getY();
    made = MulOp::create(b, loc, type, x, y);
  }
  return known[gradient] = made;
}

std::optional<TouchedRows> RowsBuilder::build(Value gradient) {
  if (!find(gradient) || count == 0 ||
      count * kSparseRatio > tensorType(gradient).getDimSize(0))
    return std::nullopt;
  Value ids = flatIds();
  auto places = RankedTensorType::get({count}, b.getI32Type());
  auto unique = UniqueOp::create(b, loc, ids.getType(), places, ids);
  int64_t first = 0;
  for (UnsortedSegmentSumOp sum : sums) {
    Value own = unique.getIdx();
    int64_t size = countOf(sum);
    if (size != count)
      own = SliceOp::create(b, loc, places.clone({size}), own,
                            ArrayRef<int64_t>{first}, ArrayRef<int64_t>{size});
    ArrayRef<int64_t> shape = tensorType(sum.getSegmentIds()).getShape();
    if (shape.size() != 1)
      own = ReshapeOp::create(b, loc, places.clone(shape), own);
    numbers[sum] = own;
    first += size;
  }
  return TouchedRows{unique.getY(), inRows(gradient)};
}

} // namespace

std::optional<TouchedRows> buildTouchedRows(OpBuilder &builder,
                                            Value gradient) {
  return RowsBuilder(builder, gradient.getLoc()).build(gradient);
}

} // namespace graphc
