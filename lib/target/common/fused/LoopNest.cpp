// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three forms. Where memory allows, one loop is emitted in vectors:
//   along results     the last parallel loop; reduction loops inside carry
//                     vectors of accumulators
//   along a reduction the last reduction loop; lanes are combined at the end
//   scalar            anything else; LLVM may vectorise it, but not reorder it
#include "lib/target/common/fused/LoopNest.h"

#include "lib/target/common/Lanes.h"
#include "lib/target/common/fused/VectorizeBody.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace graphc {
namespace {

/// Fewer elements than this are not worth a vector.
constexpr int64_t kFewLanes = 6;

Value loadElement(KernelBuilder &b, const TensorView &view, Value index) {
  return memref::LoadOp::create(b, view.buffer, index);
}

class Emitter {
public:
  Emitter(KernelBuilder &b, const LoopNest &nest,
          llvm::function_ref<TensorView(Value)> captured)
      : b(b), nest(nest), op(nest.op), captured(captured),
        sizes(op.getStaticLoopRanges()), indices(sizes.size()) {
    for (auto [dim, type] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (nest.fixed && nest.fixed->first == dim) {
        indices[dim] = nest.fixed->second;
        continue;
      }
      (type == utils::IteratorType::reduction ? reductions : parallels)
          .push_back(dim);
    }
  }

  void run() {
    if (vectorizes(parallels, 1))
      return runAlongResults();
    if (hasCombiners(op) && vectorizes(reductions, 0))
      return runAlongReduction();
    loops(parallels, [&] { store(reduce(carriedInitials())); });
  }

private:
  using Values = SmallVector<Value>;
  using Step = llvm::function_ref<void(Values &)>;

  // --- addresses ----------------------------------------------------------

  AffineExpr offsetOf(AffineMap map, const TensorView &view) {
    AffineExpr offset = getAffineConstantExpr(0, b.getContext());
    for (auto [expr, stride] : llvm::zip(map.getResults(), view.strides))
      offset = offset + expr * stride;
    return offset;
  }

  Value address(OpOperand &operand, const TensorView &view) {
    return affine::expandAffineExpr(
        b, b.getLoc(), offsetOf(op.getMatchingIndexingMap(&operand), view),
        indices, {});
  }

  int64_t strideOf(unsigned dim, OpOperand &operand, const TensorView &view) {
    return strideAlong(dim, op.getMatchingIndexingMap(&operand), view);
  }

  /// Takes the last of `dims` for vectors if the results have the stride
  /// `resultStride` along it, and the operands lie together or are the same.
  bool vectorizes(ArrayRef<unsigned> dims, int64_t resultStride) {
    if (dims.empty() || sizes[dims.back()] < kFewLanes || !canUseLanes(op))
      return false;
    unsigned dim = dims.back();
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned i = operand.getOperandNumber();
      int64_t stride = strideOf(dim, operand, nest.operands[i]);
      if (stride != 0 && stride != 1)
        return false;
      if (op.isDpsInit(&operand) &&
          strideOf(dim, operand, nest.results[i - op.getNumDpsInputs()]) !=
              resultStride)
        return false;
    }
    vectorLoop = dim;
    return true;
  }

  // --- elements -----------------------------------------------------------

  /// Lanes of the current vector that lie inside; a step of a vector loop.
  struct Slot {
    Value at;
    int64_t offset, lanes;
  };

  Value load(OpOperand &operand, const TensorView &view) {
    if (view.uniform)
      return view.uniform;
    if (!vectorLoop || strideOf(*vectorLoop, operand, view) == 0)
      return loadElement(b, view, address(operand, view));
    return b.load(lanesOf(getElementTypeOrSelf(operand.get())), view.buffer,
                  address(operand, view), maskFor(view));
  }

  /// A temporary of one vector loop is written and read in whole vectors: then
  /// LLVM keeps short ones in registers.
  Value maskFor(const TensorView &view) {
    return view.paddedCount == sizes[*vectorLoop] ? Value()
                                                  : b.mask(kLanes, slot.lanes);
  }

  Values initials() {
    Values values;
    for (OpOperand &init : op.getDpsInitsMutable())
      values.push_back(load(init, nest.operands[init.getOperandNumber()]));
    return values;
  }

  /// Initial values of the accumulators of a reduction.
  Values carriedInitials() {
    return op.getNumReductionLoops() == 0 ? Values() : initials();
  }

  void enter(Slot next) {
    slot = next;
    indices[*vectorLoop] = b.add(next.at, next.offset);
  }

  Value index(unsigned dim) {
    if (dim != vectorLoop)
      return indices[dim];
    return arith::IndexCastUIOp::create(
        b, lanesOf(b.getIndexType()),
        laneNumbers(b, slot.at, slot.offset, sizes[dim]));
  }

  /// Computes the results of the region at the current indices. A reduction
  /// reads its accumulators, any other op its inits themselves.
  Values compute(ArrayRef<Value> accumulators) {
    Values arguments;
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned i = operand.getOperandNumber();
      if (op.isDpsInit(&operand) && !accumulators.empty())
        arguments.push_back(accumulators[i - op.getNumDpsInputs()]);
      else if (op.payloadUsesValueFromOperand(&operand))
        arguments.push_back(load(operand, nest.operands[i]));
      else
        arguments.push_back({});
    }
    auto indexOf = [&](unsigned dim) { return index(dim); };
    return vectorLoop ? vectorizeBody(b, op, arguments, indexOf, kLanes)
                      : inlineBody(b, op, arguments, indexOf, captured);
  }

  void store(ArrayRef<Value> values) {
    for (auto [init, view, value] :
         llvm::zip(op.getDpsInitsMutable(), nest.results, values)) {
      Value at = address(init, view);
      if (isa<VectorType>(value.getType()))
        b.store(value, view.buffer, at, maskFor(view));
      else
        memref::StoreOp::create(b, value, view.buffer, at);
    }
  }

  // --- loops --------------------------------------------------------------

  void loops(ArrayRef<unsigned> dims, llvm::function_ref<void()> body) {
    if (dims.empty())
      return body();
    b.loop(b.constant(0), b.constant(sizes[dims.front()]), 1, [&](Value i) {
      indices[dims.front()] = i;
      loops(dims.drop_front(), body);
    });
  }

  /// for (i = lower; i < upper; i += step) with `values` in registers.
  void carry(int64_t lower, int64_t upper, int64_t step, Values &values,
             llvm::function_ref<void(Value, Values &)> body) {
    if (lower >= upper)
      return;
    if (lower + step >= upper)
      return body(b.constant(lower), values);
    auto loop = scf::ForOp::create(b, b.constant(lower), b.constant(upper),
                                   b.constant(step), values);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values inner = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    body(loop.getInductionVar(), inner);
    scf::YieldOp::create(b, inner);
    values = llvm::to_vector_of<Value>(loop.getResults());
  }

  /// The reduction loops `dims` around `step`.
  Values reduce(ArrayRef<unsigned> dims, Values values, Step step) {
    if (dims.empty()) {
      step(values);
      return values;
    }
    carry(0, sizes[dims.front()], 1, values, [&](Value i, Values &inner) {
      indices[dims.front()] = i;
      inner = reduce(dims.drop_front(), std::move(inner), step);
    });
    return values;
  }

  /// The results of one element or vector, from its initial accumulators.
  Values reduce(Values values) {
    return reduce(reductions, std::move(values),
                  [&](Values &inner) { inner = compute(inner); });
  }

  void runAlongResults() {
    parallels.pop_back();
    loops(parallels, [&] {
      auto emit = [&](Value at, int64_t lanes) {
        enter({at, 0, lanes});
        Values values = carriedInitials();
        for (Value &value : values)
          if (!isa<VectorType>(value.getType()))
            value =
                vector::BroadcastOp::create(b, lanesOf(value.getType()), value);
        store(reduce(std::move(values)));
      };
      int64_t size = sizes[*vectorLoop], whole = size / kLanes * kLanes;
      b.loop(b.constant(0), b.constant(whole), kLanes,
             [&](Value at) { emit(at, kLanes); });
      if (whole != size)
        emit(b.constant(whole), size - whole);
    });
  }

  /// The accumulators of one vector of a block lie together.
  void accumulate(Slot next, int64_t vector, Values &accumulators) {
    enter(next);
    size_t count = op->getNumResults();
    auto own =
        MutableArrayRef<Value>(accumulators).slice(vector * count, count);
    Values values = compute(own);
    Value mask = b.mask(kLanes, next.lanes);
    for (auto [accumulator, value] : llvm::zip(own, values))
      accumulator =
          mask ? arith::SelectOp::create(b, mask, value, accumulator) : value;
  }

  void accumulateAll(Values &accumulators) {
    int64_t size = sizes[*vectorLoop];
    int64_t blocks = size / kBlock * kBlock, whole = size / kLanes * kLanes;
    carry(0, blocks, kBlock, accumulators, [&](Value at, Values &inner) {
      for (int64_t i = 0; i < kVectors; ++i)
        accumulate({at, i * kLanes, kLanes}, i, inner);
    });
    carry(blocks, whole, kLanes, accumulators, [&](Value at, Values &inner) {
      accumulate({at, 0, kLanes}, 0, inner);
    });
    if (whole != size)
      accumulate({b.constant(whole), 0, size - whole}, 0, accumulators);
  }

  void runAlongReduction() {
    reductions.pop_back();
    unsigned count = op->getNumResults();
    int64_t vectors = sizes[*vectorLoop] >= kBlock ? kVectors : 1;
    loops(parallels, [&] {
      Values accumulators;
      for (unsigned i = 0; i < vectors * count; ++i)
        accumulators.push_back(neutralLanes(b, combinerOf(op, i % count)));
      accumulators = reduce(reductions, std::move(accumulators),
                            [&](Values &inner) { accumulateAll(inner); });
      Values results = initials();
      for (unsigned i = 0; i < count; ++i) {
        Values own;
        for (unsigned j = i; j < accumulators.size(); j += count)
          own.push_back(accumulators[j]);
        Operation *combiner = combinerOf(op, i);
        results[i] = combine(b, combiner, results[i],
                             combineLanes(b, combiner, std::move(own)));
      }
      store(results);
    });
  }

  KernelBuilder &b;
  const LoopNest &nest;
  linalg::GenericOp op;
  llvm::function_ref<TensorView(Value)> captured;
  SmallVector<int64_t, 4> sizes;
  SmallVector<Value> indices;
  SmallVector<unsigned> parallels, reductions;
  std::optional<unsigned> vectorLoop;
  Slot slot = {};
};

} // namespace

int64_t strideAlong(unsigned dim, AffineMap map, const TensorView &view) {
  if (view.uniform)
    return 0;
  int64_t stride = 0;
  for (auto [expr, step] : llvm::zip(map.getResults(), view.strides)) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (!isa<AffineDimExpr>(expr))
      return -1;
    stride += step;
  }
  return stride;
}

TensorView rowMajorView(Value buffer, ArrayRef<int64_t> shape) {
  TensorView view{buffer, {}, SmallVector<int64_t>(shape.size(), 1)};
  for (size_t i = shape.size(); i-- > 1;)
    view.strides[i - 1] = view.strides[i] * shape[i];
  return view;
}

/// The element at `indices` of a captured tensor.
static Value loadAt(KernelBuilder &b, const TensorView &view,
                    ValueRange indices) {
  if (view.uniform)
    return view.uniform;
  Value offset = b.constant(0);
  for (auto [i, stride] : llvm::zip(indices, view.strides))
    offset = b.add(offset, b.mul(i, stride));
  return loadElement(b, view, offset);
}

/// Replaces the reads and indices in the regions of `loop`, which stands in the
/// new code.
static void bindReads(KernelBuilder &b, Operation *loop,
                      llvm::function_ref<Value(unsigned)> index,
                      llvm::function_ref<TensorView(Value)> captured) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Operation *> bound;
  loop->walk([&](Operation *op) {
    b.setInsertionPoint(op);
    if (auto position = dyn_cast<linalg::IndexOp>(op))
      position.replaceAllUsesWith(index(position.getDim()));
    else if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      extract.replaceAllUsesWith(
          loadAt(b, captured(extract.getTensor()), extract.getIndices()));
    else
      return;
    bound.push_back(op);
  });
  for (Operation *op : bound)
    op->erase();
}

SmallVector<Value> inlineBody(KernelBuilder &b, linalg::GenericOp op,
                              ValueRange arguments,
                              llvm::function_ref<Value(unsigned)> index,
                              llvm::function_ref<TensorView(Value)> captured) {
  IRMapping map;
  Block *body = op.getBody();
  for (auto [argument, value] : llvm::zip(body->getArguments(), arguments))
    if (value)
      map.map(argument, value);
  for (Operation &inner : body->without_terminator()) {
    if (auto position = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(position.getResult(), index(position.getDim()));
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      SmallVector<Value> at;
      for (Value i : extract.getIndices())
        at.push_back(map.lookupOrDefault(i));
      map.map(extract.getResult(),
              loadAt(b, captured(extract.getTensor()), at));
    } else if (inner.getNumRegions()) {
      bindReads(b, b.clone(inner, map), index, captured);
    } else {
      b.clone(inner, map);
    }
  }
  SmallVector<Value> yielded;
  for (Value value : body->getTerminator()->getOperands())
    yielded.push_back(map.lookupOrDefault(value));
  return yielded;
}

void emitLoopNest(KernelBuilder &builder, const LoopNest &nest,
                  llvm::function_ref<TensorView(Value)> captured) {
  Emitter(builder, nest, captured).run();
}

} // namespace graphc
