// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of ops that arrange the elements of tensors.
#include "dialects/tfir/ops/arrange/TfirShapeOps.h"
#include "lib/interpreter/Gather.h"

#include "llvm/ADT/Sequence.h"

#include <algorithm>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

using Index = SmallVector<int64_t>;

int64_t positive(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

LogicalResult stridedBlock(StridedBlockOp op, Frame &frame) {
  return gather(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
    Index from;
    for (auto [i, begin, stride] :
         llvm::zip_equal(index, op.getBegin(), op.getStrides()))
      from.push_back(begin + i * stride);
    return from;
  });
}

LogicalResult placeBlock(PlaceBlockOp op, Frame &frame) {
  Tensor tensor = Tensor::ofType(op.getY().getType());
  double value = op.getValue().convertToDouble();
  llvm::fill(tensor.elements, numberOf(tensor.kind, value));
  const Tensor &x = frame.get(op.getX());
  int64_t next = 0;
  forEachIndex(x.shape, [&](ArrayRef<int64_t> index) {
    Index to;
    for (auto [i, begin, stride] :
         llvm::zip_equal(index, op.getBegin(), op.getStrides()))
      to.push_back(begin + i * stride);
    tensor.at(to) = x.elements[next++];
  });
  frame.set(op.getY(), std::move(tensor));
  return success();
}

/// Ops whose result has the elements in the same order.
template <typename Op> LogicalResult sameOrder(Op op, Frame &frame) {
  Tensor tensor = frame.get(op.getX());
  ArrayRef<int64_t> shape = op.getY().getType().getShape();
  tensor.shape.assign(shape.begin(), shape.end());
  frame.set(op.getY(), std::move(tensor));
  return success();
}

/// The place in [0, size) that the place outside of it shows.
int64_t mirrored(StringRef mode, int64_t place, int64_t size) {
  if (mode == "EDGE")
    return std::clamp<int64_t>(place, 0, size - 1);
  int64_t skipped = mode == "REFLECT";
  if (place < 0)
    return -place - 1 + skipped;
  return place < size ? place : 2 * size - place - 1 - skipped;
}

LogicalResult pad(PadOp op, Frame &frame) {
  Tensor tensor = Tensor::ofType(op.getY().getType());
  const Tensor &x = frame.get(op.getX());
  std::string mode = op.getMode().upper();
  Element border =
      numberOf(tensor.kind, op.getConstantValues().convertToDouble());
  int64_t next = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    Index from;
    bool isInside = true;
    for (auto [dim, i] : llvm::enumerate(index)) {
      int64_t place = i - op.getPaddings()[2 * dim];
      isInside &= place >= 0 && place < x.shape[dim];
      from.push_back(mirrored(mode, place, x.shape[dim]));
    }
    tensor.elements[next++] =
        isInside || mode != "CONSTANT" ? x.at(from) : border;
  });
  frame.set(op.getY(), std::move(tensor));
  return success();
}

LogicalResult tile(TileOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return gather(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
    Index from;
    for (auto [i, size] : llvm::zip_equal(index, x.shape))
      from.push_back(i % size);
    return from;
  });
}

LogicalResult reverse(ReverseOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return gather(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
    Index from(index);
    for (int64_t axis : op.getAxis()) {
      axis = positive(axis, x.rank());
      from[axis] = x.shape[axis] - 1 - from[axis];
    }
    return from;
  });
}

LogicalResult roll(RollOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return gather(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
    Index from(index);
    for (auto [shift, axis] : llvm::zip_equal(op.getShift(), op.getAxis())) {
      int64_t dim = positive(axis, x.rank()), size = x.shape[dim];
      from[dim] = ((from[dim] - shift % size) % size + size) % size;
    }
    return from;
  });
}

LogicalResult stack(StackOp op, Frame &frame) {
  Tensor tensor = Tensor::ofType(op.getY().getType());
  int64_t axis = positive(static_cast<int64_t>(op.getAxis()), tensor.rank());
  int64_t next = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    Index from(index);
    from.erase(from.begin() + axis);
    tensor.elements[next++] = frame.get(op.getValues()[index[axis]]).at(from);
  });
  frame.set(op.getY(), std::move(tensor));
  return success();
}

LogicalResult unstack(UnstackOp op, Frame &frame) {
  int64_t axis = positive(static_cast<int64_t>(op.getAxis()),
                          frame.get(op.getValue()).rank());
  for (auto [place, result] : llvm::enumerate(op.getOutputs())) {
    auto moved = [&,
                  at = static_cast<int64_t>(place)](ArrayRef<int64_t> index) {
      Index from(index);
      from.insert(from.begin() + axis, at);
      return from;
    };
    if (failed(gather(result, op.getValue(), frame, moved)))
      return failure();
  }
  return success();
}

LogicalResult split(SplitOp op, Frame &frame) {
  int64_t axis = positive(static_cast<int64_t>(op.getAxis()),
                          frame.get(op.getValue()).rank());
  int64_t begin = 0;
  for (Value result : op.getOutputs()) {
    auto moved = [&](ArrayRef<int64_t> index) {
      Index from(index);
      from[axis] += begin;
      return from;
    };
    if (failed(gather(result, op.getValue(), frame, moved)))
      return failure();
    begin += frame.get(result).shape[axis];
  }
  return success();
}

/// A result full of one number.
template <typename Op> auto fullOf(double value) {
  return [value](Op op, Frame &frame) {
    Tensor tensor = Tensor::ofType(op.getY().getType());
    llvm::fill(tensor.elements, numberOf(tensor.kind, value));
    frame.set(op.getY(), std::move(tensor));
    return success();
  };
}

LogicalResult fill(FillOp op, Frame &frame) {
  Tensor tensor = Tensor::ofType(op.getY().getType());
  llvm::fill(tensor.elements, frame.get(op.getValue()).elements[0]);
  frame.set(op.getY(), std::move(tensor));
  return success();
}

/// Python's range of `slice(begin, end, stride)` over `size` elements.
std::vector<int64_t> placesOf(std::optional<int64_t> begin,
                              std::optional<int64_t> end, int64_t stride,
                              int64_t size) {
  auto wrapped = [size](int64_t place) {
    return place < 0 ? place + size : place;
  };
  std::vector<int64_t> places;
  for (int64_t place : llvm::seq<int64_t>(0, size)) {
    if (stride < 0)
      place = size - 1 - place;
    bool isBehindBegin = !begin || (stride > 0 ? place >= wrapped(*begin)
                                               : place <= wrapped(*begin));
    bool isBeforeEnd =
        !end || (stride > 0 ? place < wrapped(*end) : place > wrapped(*end));
    bool isNext = places.empty() || place == places.back() + stride;
    if (isBehindBegin && isBeforeEnd && isNext)
      places.push_back(place);
  }
  return places;
}

LogicalResult stridedSlice(StridedSliceOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  auto entries = static_cast<int64_t>(op.getBegin().size());
  auto has = [](uint64_t mask, int64_t entry) {
    return entry < 64 && (mask >> entry & 1);
  };
  int64_t taken = 0;
  for (int64_t entry = 0; entry < entries; ++entry)
    taken += !has(op.getEllipsisMask() | op.getNewAxisMask(), entry);
  // For each dimension of the operand its places, and whether the result has
  // it; for a new one of the result no places.
  struct Part {
    std::vector<int64_t> places;
    bool isKept = true, isNew = false;
  };
  std::vector<Part> parts;
  int64_t dim = 0;
  auto whole = [&] {
    parts.push_back({placesOf({}, {}, 1, x.shape[dim])});
    ++dim;
  };
  for (int64_t entry = 0; entry < entries; ++entry) {
    int64_t begin = op.getBegin()[entry], end = op.getEnd()[entry];
    int64_t stride = op.getStrides() ? (*op.getStrides())[entry] : 1;
    if (has(op.getEllipsisMask(), entry)) {
      for (int64_t left = x.rank() - taken; left > 0; --left)
        whole();
    } else if (has(op.getNewAxisMask(), entry)) {
      parts.push_back({{}, true, true});
    } else if (has(op.getShrinkAxisMask(), entry)) {
      parts.push_back({{positive(begin, x.shape[dim++])}, false});
    } else {
      std::optional<int64_t> first, last;
      if (!has(op.getBeginMask(), entry))
        first = begin;
      if (!has(op.getEndMask(), entry))
        last = end;
      parts.push_back({placesOf(first, last, stride, x.shape[dim++])});
    }
  }
  while (dim < x.rank())
    whole();
  return gather(op.getY(), op.getX(), frame, [&](ArrayRef<int64_t> index) {
    Index from;
    size_t next = 0;
    for (const Part &part : parts) {
      int64_t place = part.isKept ? index[next++] : 0;
      if (!part.isNew)
        from.push_back(part.places[place]);
    }
    return from;
  });
}

} // namespace

void addShapeOps(OpTable &table) {
  table.add<StridedBlockOp>(stridedBlock);
  table.add<PlaceBlockOp>(placeBlock);
  table.add<ExpandDimsOp>(sameOrder<ExpandDimsOp>);
  table.add<SqueezeOp>(sameOrder<SqueezeOp>);
  table.add<PadOp>(pad);
  table.add<TileOp>(tile);
  table.add<ReverseOp>(reverse);
  table.add<RollOp>(roll);
  table.add<StackOp>(stack);
  table.add<UnstackOp>(unstack);
  table.add<SplitOp>(split);
  table.add<ZerosLikeOp>(fullOf<ZerosLikeOp>(0));
  table.add<OnesLikeOp>(fullOf<OnesLikeOp>(1));
  table.add<FillOp>(fill);
  table.add<StridedSliceOp>(stridedSlice);
}

} // namespace graphc::interpreter
