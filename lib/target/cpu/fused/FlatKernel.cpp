// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix is walked in blocks of 64 columns, four vectors of 16 each, or one
// after the other where the ops of one are many; what is left over at the end
// of a row is done one vector at a time, the last one masked.
//
// Rows:                                    Columns:
//
//   for row of the units                     for block of the units
//     early Row ops                            early Column ops
//     for block                                for row
//       Column and Full ops                      Row and Full ops
//     late Row ops                             late Column ops
//
// Tensors between the ops are SSA values; only results are stored, and only
// after everything of a block was loaded, so that updates may be in place.
#include "lib/target/cpu/fused/FlatKernel.h"

#include "lib/target/common/Lanes.h"
#include "lib/target/common/fused/FlatIndex.h"
#include "lib/target/common/fused/LoopNest.h"
#include "lib/target/common/fused/VectorizeBody.h"
#include "lib/target/cpu/fused/VectorSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {
namespace {

using Values = SmallVector<Value>;
using ValueMap = llvm::DenseMap<Value, Value>;

/// One vector of a block: its distance from the block's start and how many of
/// its lanes lie inside the matrix.
struct Slot {
  int64_t offset;
  int64_t lanes;
};

/// A value that is written at the end of a block or row.
struct PendingStore {
  Value root, value;
  Space space;
  Slot slot;
};

class Emitter {
public:
  Emitter(TensorKernel &kernel, const FlatPlan &plan)
      : kernel(kernel), plan(plan), b(kernel.builder()),
        wholeColumns(plan.columns / kBlock * kBlock),
        vectorByVector(stepsByVector(plan, kernel.function())) {
    for (const FlatOp &flat : plan.ops)
      if (flat.reduces)
        for (OpResult result : flat.op->getResults())
          addReduction(flat.op, result);
  }

  void run() {
    row = column = b.constant(0);
    emitScalars(Space::Scalar, /*late=*/false);
    int64_t units = plan.byRow ? emitByRow() : emitByColumn();
    kernel.finish(units);
  }

private:
  struct Reduction {
    Value root;
    Operation *combiner;
    OpOperand *init;
  };

  void addReduction(linalg::GenericOp op, OpResult result) {
    unsigned number = result.getResultNumber();
    accumulatorOf[result] = reductions.size();
    reductions.push_back(
        {result, combinerOf(op, number), op.getDpsInitOperand(number)});
  }

  // --- values -------------------------------------------------------------

  Value fullAddress(Value column) {
    return b.add(b.mul(row, plan.columns), column);
  }

  Value address(Space space, int64_t offset) {
    switch (space) {
    case Space::Scalar:
      return b.constant(0);
    case Space::Row:
      return row;
    case Space::Column:
      return b.add(column, offset);
    case Space::Full:
      return fullAddress(b.add(column, offset));
    }
    llvm_unreachable("unknown space");
  }

  /// The element of a Scalar or Row tensor at the current row; `element` tells
  /// which one of a tensor is the scalar.
  Value scalarOf(Value tensor, Space space, int64_t element = 0) {
    if (!isa<RankedTensorType>(tensor.getType()))
      return tensor;
    Value root = TensorKernel::root(tensor);
    if (Value value = kernel.uniform(root))
      return value;
    if (Value value = scalars.lookup(root))
      return value;
    Value at = element ? b.constant(element) : address(space, 0);
    return memref::LoadOp::create(b, kernel.buffer(root), at);
  }

  /// The elements of a tensor at a slot of the current block; those that were
  /// computed before are in `values`.
  Value vectorAt(Value tensor, Space space, Slot slot, ValueMap &values,
                 int64_t element = 0) {
    if (space == Space::Scalar || space == Space::Row)
      return scalarOf(tensor, space, element);
    Value root = TensorKernel::root(tensor);
    if (Value value = kernel.uniform(root))
      return value;
    Value &value = values[root];
    if (!value)
      value = b.load(lanesOf(getElementTypeOrSelf(root)), kernel.buffer(root),
                     address(space, slot.offset), b.mask(kLanes, slot.lanes));
    return value;
  }

  Value index(const FlatOp &flat, unsigned dim, Slot slot) {
    return flatIndex(b, plan, flat, dim, {row, column, slot.offset});
  }

  // --- ops ----------------------------------------------------------------

  void remember(Value root, Value value, Space space, Slot slot) {
    if (kernel.isResult(root))
      pending.push_back({root, value, space, slot});
  }

  void flushStores() {
    for (const PendingStore &store : pending) {
      Value to = kernel.buffer(store.root);
      Value at = address(store.space, store.slot.offset);
      if (isa<VectorType>(store.value.getType()))
        b.store(store.value, to, at, b.mask(kLanes, store.slot.lanes));
      else
        memref::StoreOp::create(b, store.value, to, at);
    }
    pending.clear();
  }

  /// Emits the Scalar or Row ops that come before or after the reductions.
  void emitScalars(Space space, bool late) {
    for (const FlatOp &flat : plan.ops) {
      if (flat.space != space || flat.late != late || flat.reduces)
        continue;
      linalg::GenericOp op = flat.op;
      Values arguments;
      for (OpOperand &operand : op->getOpOperands())
        arguments.push_back(
            op.payloadUsesValueFromOperand(&operand)
                ? scalarOf(operand.get(),
                           flat.operands[operand.getOperandNumber()],
                           flat.elements[operand.getOperandNumber()])
                : Value());
      Values yielded = inlineBody(
          b, flat.op, arguments,
          [&](unsigned dim) { return index(flat, dim, {0, kLanes}); },
          [](Value) { return TensorView(); });
      for (auto [result, value] : llvm::zip(flat.op->getResults(), yielded)) {
        scalars[result] = value;
        remember(result, value, space, {0, 1});
      }
    }
  }

  /// The elements of the part of a join that the emission is in.
  void emitJoined(const FlatOp &flat, Slot slot, ValueMap &values) {
    const FlatPart *part = flat.parts.begin();
    for (const FlatPart &other : flat.parts)
      if (other.begin <= pieceBegin)
        part = &other;
    Value result = flat.op->getResult(0);
    Value value =
        b.load(lanesOf(getElementTypeOrSelf(result)), kernel.buffer(part->root),
               b.sub(b.add(column, slot.offset), b.constant(part->begin)),
               b.mask(kLanes, slot.lanes));
    values[result] = value;
    remember(result, value, flat.space, slot);
  }

  /// Emits one op at one slot. `accumulators` holds this slot's of all
  /// reductions.
  void emitVector(const FlatOp &flat, Slot slot, ValueMap &values,
                  MutableArrayRef<Value> accumulators) {
    if (!flat.parts.empty())
      return emitJoined(flat, slot, values);
    auto op = flat.op;
    Values arguments;
    for (OpOperand &operand : op->getOpOperands())
      if (flat.reduces && op.isDpsInit(&operand))
        arguments.push_back(
            accumulators[accumulatorOf[op.getTiedOpResult(&operand)]]);
      else if (op.payloadUsesValueFromOperand(&operand))
        arguments.push_back(
            vectorAt(operand.get(), flat.operands[operand.getOperandNumber()],
                     slot, values, flat.elements[operand.getOperandNumber()]));
      else
        arguments.push_back({});
    Values yielded = vectorizeBody(
        b, op, arguments, [&](unsigned dim) { return index(flat, dim, slot); },
        kLanes);
    for (auto [result, value] : llvm::zip(op->getResults(), yielded)) {
      if (!flat.reduces) {
        values[result] = value;
        remember(result, value, flat.space, slot);
        continue;
      }
      Value &accumulator = accumulators[accumulatorOf[result]];
      if (Value mask = b.mask(kLanes, slot.lanes))
        value = arith::SelectOp::create(b, mask, value, accumulator);
      accumulator = value;
    }
  }

  void emitVectors(Space space, bool late, Slot slot, ValueMap &values,
                   MutableArrayRef<Value> accumulators) {
    for (const FlatOp &flat : plan.ops)
      if (flat.space == space && flat.late == late)
        emitVector(flat, slot, values, accumulators);
  }

  // --- accumulators -------------------------------------------------------

  /// `count` neutral vectors per reduction; those of one slot lie together.
  Values neutralAccumulators(int64_t count) {
    Values values;
    for (int64_t i = 0; i < count; ++i)
      for (const Reduction &reduction : reductions)
        values.push_back(neutralLanes(b, reduction.combiner));
    return values;
  }

  MutableArrayRef<Value> ofSlot(Values &accumulators, int64_t slot) {
    return MutableArrayRef<Value>(accumulators)
        .slice(slot * reductions.size(), reductions.size());
  }

  Value combineAll(size_t index, Values &accumulators) {
    Values vectors;
    for (size_t i = index; i < accumulators.size(); i += reductions.size())
      vectors.push_back(accumulators[i]);
    return combineLanes(b, reductions[index].combiner, std::move(vectors));
  }

  /// for (i = lower; i < upper; i += step) with the accumulators in registers.
  void loop(int64_t lower, int64_t upper, int64_t step, Values &accumulators,
            llvm::function_ref<void(Value)> body) {
    if (lower >= upper)
      return;
    if (lower + step >= upper)
      return body(b.constant(lower));
    auto op = scf::ForOp::create(b, b.constant(lower), b.constant(upper),
                                 b.constant(step), accumulators);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(op.getBody());
      llvm::copy(op.getRegionIterArgs(), accumulators.begin());
      body(op.getInductionVar());
      if (!accumulators.empty()) // otherwise the yield is there already
        scf::YieldOp::create(b, accumulators);
    }
    llvm::copy(op.getResults(), accumulators.begin());
  }

  // --- rows ---------------------------------------------------------------

  void emitSlotOfRow(Slot slot, MutableArrayRef<Value> accumulators) {
    ValueMap values;
    emitVectors(Space::Column, false, slot, values, accumulators);
    emitVectors(Space::Full, false, slot, values, accumulators);
  }

  void emitRow() {
    emitScalars(Space::Row, /*late=*/false);
    // The vectors of a block have sums of their own, whose number counts.
    int64_t inBlocks = vectorByVector && reductions.empty() ? 0 : wholeColumns;
    Values accumulators = neutralAccumulators(inBlocks ? kVectors : 1);
    loop(0, inBlocks, kBlock, accumulators, [&](Value at) {
      column = at;
      for (int64_t i = 0; i < kVectors; ++i)
        emitSlotOfRow({i * kLanes, kLanes}, ofSlot(accumulators, i));
      flushFullStores();
    });
    int64_t wholeVectors = plan.columns / kLanes * kLanes;
    loop(inBlocks, wholeVectors, kLanes, accumulators, [&](Value at) {
      column = at;
      emitSlotOfRow({0, kLanes}, ofSlot(accumulators, 0));
      flushFullStores();
    });
    if (int64_t lanes = plan.columns - wholeVectors) {
      column = b.constant(wholeVectors);
      emitSlotOfRow({0, lanes}, ofSlot(accumulators, 0));
      flushFullStores();
    }
    for (auto [i, reduction] : llvm::enumerate(reductions)) {
      Value value = combine(b, reduction.combiner,
                            scalarOf(reduction.init->get(), Space::Row),
                            combineAll(i, accumulators));
      scalars[reduction.root] = value;
      remember(reduction.root, value, Space::Row, {0, 1});
    }
    emitScalars(Space::Row, /*late=*/true);
    flushStores();
    for (const FlatOp &flat : plan.ops)
      if (flat.space == Space::Row || flat.reduces)
        for (Value result : flat.op->getResults())
          scalars.erase(result);
  }

  /// Stores of Row values wait for the end of the row.
  void flushFullStores() {
    SmallVector<PendingStore> rows;
    llvm::copy_if(pending, std::back_inserter(rows),
                  [](const PendingStore &s) { return s.space == Space::Row; });
    llvm::erase_if(pending,
                   [](const PendingStore &s) { return s.space == Space::Row; });
    flushStores();
    pending = std::move(rows);
  }

  int64_t emitByRow() {
    int64_t perUnit = plan.rows * plan.columns <= kSerialElements
                          ? plan.rows
                          : std::max<int64_t>(1, kUnitElements / plan.columns);
    Value lower = b.mul(kernel.beginUnit(), perUnit);
    Value upper =
        b.min(b.mul(kernel.endUnit(), perUnit), b.constant(plan.rows));
    b.loop(lower, upper, 1, [&](Value at) {
      row = at;
      emitRow();
    });
    return llvm::divideCeil(plan.rows, perUnit);
  }

  // --- columns ------------------------------------------------------------

  /// All rows of the columns from `column` on that `slots` cover.
  void emitColumns(ArrayRef<Slot> slots) {
    SmallVector<ValueMap> columns(slots.size());
    Values accumulators = neutralAccumulators(slots.size());
    for (auto [i, slot] : llvm::enumerate(slots))
      emitVectors(Space::Column, false, slot, columns[i], {});
    SmallVector<PendingStore> columnStores = std::move(pending);
    pending.clear();
    loop(0, plan.rows, 1, accumulators, [&](Value at) {
      row = at;
      emitScalars(Space::Row, /*late=*/false);
      for (auto [i, slot] : llvm::enumerate(slots)) {
        ValueMap values = columns[i];
        emitVectors(Space::Full, false, slot, values, ofSlot(accumulators, i));
      }
      flushStores();
      for (const FlatOp &flat : plan.ops)
        if (flat.space == Space::Row)
          for (Value result : flat.op->getResults())
            scalars.erase(result);
    });
    pending = std::move(columnStores);
    for (auto [i, slot] : llvm::enumerate(slots)) {
      for (auto [j, reduction] : llvm::enumerate(reductions)) {
        Value init = vectorAt(reduction.init->get(), initSpace(reduction), slot,
                              columns[i]);
        Value sum = ofSlot(accumulators, i)[j];
        if (!isa<VectorType>(init.getType()))
          init = vector::BroadcastOp::create(b, sum.getType(), init);
        Value value = combine(b, reduction.combiner, init, sum);
        columns[i][reduction.root] = value;
        remember(reduction.root, value, Space::Column, slot);
      }
      emitVectors(Space::Column, true, slot, columns[i], {});
    }
    flushStores();
  }

  Space initSpace(const Reduction &reduction) {
    for (const FlatOp &flat : plan.ops)
      if (flat.op == reduction.init->getOwner())
        return flat.operands[reduction.init->getOperandNumber()];
    llvm_unreachable("a reduction is an op of the plan");
  }

  void emitColumnBlock() {
    if (vectorByVector && plan.rows == 1)
      return b.loop(column, b.add(column, kBlock), kLanes, [&](Value at) {
        column = at;
        emitColumns(Slot{0, kLanes});
      });
    SmallVector<Slot> slots;
    for (int64_t i = 0; i < kVectors; ++i)
      slots.push_back({i * kLanes, kLanes});
    emitColumns(slots);
  }

  /// The columns after the last whole block.
  void emitColumnRest() {
    int64_t rest = plan.columns - wholeColumns;
    if (plan.rows > 1) { // every row's rest is read at once
      SmallVector<Slot> slots;
      for (int64_t at = 0; at < rest; at += kLanes)
        slots.push_back({at, std::min(kLanes, rest - at)});
      column = b.constant(wholeColumns);
      return emitColumns(slots);
    }
    int64_t wholeVectors = plan.columns / kLanes * kLanes;
    b.loop(b.constant(wholeColumns), b.constant(wholeVectors), kLanes,
           [&](Value at) {
             column = at;
             emitColumns(Slot{0, kLanes});
           });
    if (int64_t lanes = plan.columns - wholeVectors) {
      column = b.constant(wholeVectors);
      emitColumns(Slot{0, lanes});
    }
  }

  /// One loop, or one for each piece between two cuts.
  void emitColumnBlocks(Value lower, Value upper) {
    for (size_t i = 0; i <= plan.cuts.size(); ++i) {
      Value from = lower, to = upper;
      if (i > 0) {
        pieceBegin = plan.cuts[i - 1];
        from = b.max(lower, b.constant(pieceBegin));
      }
      if (i < plan.cuts.size())
        to = b.min(upper, b.constant(plan.cuts[i]));
      b.loop(from, to, kBlock, [&](Value at) {
        column = at;
        emitColumnBlock();
      });
    }
  }

  int64_t emitByColumn() {
    int64_t perUnit = plan.rows > 1 ? kBlock : kUnitElements;
    if (plan.rows * plan.columns <= kSerialElements)
      perUnit = llvm::alignTo(plan.columns, kBlock);
    int64_t units = llvm::divideCeil(plan.columns, perUnit);
    if (wholeColumns) {
      Value lower = b.mul(kernel.beginUnit(), perUnit);
      Value upper =
          b.min(b.mul(kernel.endUnit(), perUnit), b.constant(wholeColumns));
      emitColumnBlocks(lower, upper);
    }
    if (plan.columns == wholeColumns)
      return units;
    // The unit that holds the rest is the last one.
    Value reachesRest = arith::CmpIOp::create(
        b, arith::CmpIPredicate::sge, kernel.endUnit(), b.constant(units));
    Value notEmpty = arith::CmpIOp::create(
        b, arith::CmpIPredicate::slt, kernel.beginUnit(), kernel.endUnit());
    Value holdsRest = arith::AndIOp::create(b, reachesRest, notEmpty);
    auto rest = scf::IfOp::create(b, holdsRest, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&rest.getThenRegion().front());
    emitColumnRest();
    return units;
  }

  TensorKernel &kernel;
  const FlatPlan &plan;
  KernelBuilder &b;
  int64_t wholeColumns; ///< those in whole blocks
  bool vectorByVector;  ///< a step has one vector, not a block
  SmallVector<Reduction> reductions;
  llvm::DenseMap<Value, size_t> accumulatorOf;
  Value row, column;      ///< where the emission is
  int64_t pieceBegin = 0; ///< the last cut before `column`
  ValueMap scalars;       ///< of the Scalar and Row ops at `row`
  SmallVector<PendingStore> pending;
};

} // namespace

void emitFlatKernel(TensorKernel &kernel, const FlatPlan &plan) {
  kernel.begin();
  Emitter(kernel, plan).run();
}

} // namespace graphc
