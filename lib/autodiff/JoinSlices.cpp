// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/autodiff/JoinSlices.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// A value between zeros.
struct ZeroPadded {
  size_t term; ///< index among the terms
  int64_t axis, begin, size;
  Value value;
};

bool isZeros(Value value) {
  auto constant = value.getDefiningOp<ConstOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat() &&
         isa<FloatType>(elements.getElementType()) &&
         elements.getSplatValue<APFloat>().isZero();
}

std::optional<ZeroPadded> paddedOf(Value term, size_t index) {
  auto concat = term.getDefiningOp<ConcatOp>();
  if (!concat)
    return std::nullopt;
  auto axis = static_cast<int64_t>(concat.getAxis());
  axis = axis < 0 ? axis + tensorType(term).getRank() : axis;
  ZeroPadded padded{index, axis, 0, 0, Value()};
  int64_t at = 0;
  for (Value part : concat.getXs()) {
    int64_t size = tensorType(part).getDimSize(axis);
    if (!isZeros(part)) {
      if (padded.value)
        return std::nullopt;
      padded.begin = at;
      padded.size = size;
      padded.value = part;
    }
    at += size;
  }
  if (!padded.value)
    return std::nullopt;
  return padded;
}

/// The blocks along the axis of the first one that do not meet, in order.
SmallVector<ZeroPadded> apartBlocks(ArrayRef<Value> terms) {
  SmallVector<ZeroPadded> blocks;
  for (auto [index, term] : llvm::enumerate(terms))
    if (auto padded = paddedOf(term, index);
        padded && (blocks.empty() || padded->axis == blocks.front().axis))
      blocks.push_back(*padded);
  llvm::sort(blocks, [](const ZeroPadded &x, const ZeroPadded &y) {
    return std::pair(x.begin, x.term) < std::pair(y.begin, y.term);
  });
  SmallVector<ZeroPadded> apart;
  int64_t end = 0;
  for (const ZeroPadded &block : blocks)
    if (block.begin >= end) {
      apart.push_back(block);
      end = block.begin + block.size;
    }
  return apart;
}

} // namespace

void joinSlices(OpBuilder &b, Location loc, SmallVectorImpl<Value> &terms) {
  SmallVector<ZeroPadded> blocks = apartBlocks(terms);
  if (blocks.size() < 2)
    return;
  int64_t axis = blocks.front().axis;
  RankedTensorType type = tensorType(terms[blocks.front().term]);
  SmallVector<Value> parts;
  int64_t end = 0;
  auto fill = [&](int64_t begin) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = begin - end;
    if (begin > end)
      parts.push_back(splat(b, loc, type.clone(shape), 0));
  };
  for (const ZeroPadded &block : blocks) {
    fill(block.begin);
    parts.push_back(block.value);
    end = block.begin + block.size;
  }
  fill(type.getDimSize(axis));
  Value joined = ConcatOp::create(b, loc, type, parts, axis);
  llvm::SmallDenseSet<size_t> replaced;
  for (const ZeroPadded &block : blocks)
    replaced.insert(block.term);
  SmallVector<Value> left{joined};
  for (auto [index, term] : llvm::enumerate(terms))
    if (!replaced.contains(index))
      left.push_back(term);
  terms.assign(left);
}

} // namespace graphc
