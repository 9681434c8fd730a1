// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A merge sort whose passes write each element of the result on its own, since
// that is what a kernel can do: the element at place k of two merged runs is
// found by a binary search for the number of elements that come from the first
// run (Green, McColl, Bader: "GPU merge path", ICS 2012).
#include "dialects/tfir/gather/StableOrder.h"

#include "dialects/tfir/Linalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace graphc::tfir {

namespace {

/// Arithmetic of columns, in 32 bits: 64 would cost a GPU twice the registers.
struct Indices {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  }
  Value narrow(Value x) {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), x);
  }
  Value wide(Value x) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), x);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value max(Value x, Value y) { return arith::MaxSIOp::create(b, loc, x, y); }
  Value less(Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
};

/// The pass that merges runs of `run` elements in pairs.
class MergePass {
public:
  MergePass(SortedRows from, int64_t run, MayPrecede mayPrecede)
      : from(from), run(run), mayPrecede(mayPrecede),
        count(cast<RankedTensorType>(from.keys.getType()).getDimSize(1)) {}

  /// Key and place of the element at `at`, row and column.
  SmallVector<Value> element(OpBuilder &b, Location loc, ValueRange at) const {
    Indices i{b, loc};
    Value row = at[0], column = i.narrow(at[1]), last = i.constant(count - 1);
    // Both runs, the last of which may be short or empty.
    Value within =
        arith::AndIOp::create(b, loc, column, i.constant(2 * run - 1));
    Value first = i.sub(column, within);
    Value second = i.min(i.add(first, i.constant(run)), i.constant(count));
    Value firstSize = i.sub(second, first);
    Value secondSize = i.min(i.sub(i.constant(count), second), i.constant(run));
    Value taken = search(i, row, within, first, second, firstSize, secondSize);
    Value rest = i.sub(within, taken);
    Value a = i.min(i.add(first, taken), last);
    Value c = i.min(i.add(second, rest), last);
    Value keyA = key(i, row, a), keyC = key(i, row, c);
    Value hasA = i.less(taken, firstSize), hasC = i.less(rest, secondSize);
    Value no = arith::ConstantIntOp::create(b, loc, 0, 1);
    Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
    Value before = i.select(hasC, mayPrecede(b, loc, keyA, keyC), yes);
    Value isA = i.select(hasA, before, no);
    Value place = tensor::ExtractOp::create(
        b, loc, from.places, ValueRange{row, i.wide(i.select(isA, a, c))});
    return {i.select(isA, keyA, keyC), place};
  }

private:
  Value key(Indices i, Value row, Value column) const {
    return tensor::ExtractOp::create(i.b, i.loc, from.keys,
                                     ValueRange{row, i.wide(column)});
  }

  /// Elements of the first run among the first `within` of both.
  Value search(Indices i, Value row, Value within, Value first, Value second,
               Value firstSize, Value secondSize) const {
    Value zero = i.constant(0), one = i.constant(1);
    Value low = i.max(zero, i.sub(within, secondSize));
    Value high = i.min(within, firstSize);
    // There are up to run + 1 answers.
    Value steps = i.constant(static_cast<int64_t>(llvm::Log2_64_Ceil(run + 1)));
    auto loop =
        scf::ForOp::create(i.b, i.loc, zero, steps, one, ValueRange{low, high});
    OpBuilder::InsertionGuard guard(i.b);
    i.b.setInsertionPointToStart(loop.getBody());
    Value from = loop.getRegionIterArg(0), to = loop.getRegionIterArg(1);
    Value middle = arith::ShRUIOp::create(i.b, i.loc, i.add(from, to), one);
    // Inside, even when nothing is left to search.
    Value last = i.constant(count - 1);
    Value a = i.min(i.add(first, middle), last);
    Value c = i.sub(i.sub(i.add(second, within), middle), one);
    c = i.max(i.min(c, last), zero);
    Value before = mayPrecede(i.b, i.loc, key(i, row, a), key(i, row, c));
    Value isOpen = i.less(from, to);
    Value up = arith::AndIOp::create(i.b, i.loc, isOpen, before);
    Value next = i.select(up, i.add(middle, one), from);
    Value end = i.select(before, to, i.min(middle, to));
    scf::YieldOp::create(i.b, i.loc, ValueRange{next, end});
    return loop.getResult(0);
  }

  SortedRows from;
  int64_t run;
  MayPrecede mayPrecede;
  int64_t count;
};

} // namespace

SortedRows sortRows(OpBuilder &builder, Location loc, Value keys,
                    MayPrecede mayPrecede) {
  auto type = cast<RankedTensorType>(keys.getType());
  RankedTensorType placeType =
      RankedTensorType::get(type.getShape(), builder.getI32Type());
  Value places = buildFromIndices(
      builder, loc, placeType, [](OpBuilder &b, Location loc, ValueRange at) {
        return arith::IndexCastOp::create(b, loc, b.getI32Type(), at[1]);
      });
  SortedRows rows{keys, places};
  AffineMap identity = builder.getMultiDimIdentityMap(2);
  for (int64_t run = 1; run < type.getDimSize(1); run *= 2) {
    MergePass pass(rows, run, mayPrecede);
    Value empty[] = {emptyTensor(builder, loc, type),
                     emptyTensor(builder, loc, placeType)};
    auto merged =
        buildGeneric(builder, loc, {}, empty, {identity, identity}, 2, {},
                     [&](OpBuilder &b, Location loc, ValueRange) {
                       Value at[] = {linalg::IndexOp::create(b, loc, 0),
                                     linalg::IndexOp::create(b, loc, 1)};
                       return pass.element(b, loc, at);
                     });
    rows = {merged.getResult(0), merged.getResult(1)};
  }
  return rows;
}

} // namespace graphc::tfir
