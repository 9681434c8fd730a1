// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of threads per line (a row of the matrix, or a column) goes over it
// as often as its reductions need:
//
//   for each pass
//     ops of the line that the earlier reductions made possible
//     for each slot of the thread: reductions of the pass, stores in the last
//     combine the accumulators of the group's threads
//   ops and results of the line
//
// A slot is what a thread computes at a time, four elements of a row or one of
// a column. If a thread has few slots, they are unrolled and their values stay
// in registers from pass to pass; otherwise each pass reads them again.
#include "lib/target/cuda/emit/LineKernel.h"

#include "lib/target/common/Lanes.h"
#include "lib/target/cuda/emit/ElementEmitter.h"
#include "lib/target/cuda/emit/LineGroup.h"
#include "lib/target/cuda/emit/LinePasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace graphc {
namespace {

/// Elements that a thread computes of a line, and values that it keeps of them.
constexpr int64_t kThreadElements = 16;
constexpr int64_t kThreadValues = 96;
/// Blocks of more threads would leave each of them too few registers.
constexpr int64_t kMaxThreads = 512;
/// Threads of a block whose lines belong to a warp or less each.
constexpr int64_t kWarpLineThreads = 128;

int64_t powerOfTwo(int64_t value) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(value));
}

LineGroup groupForRows(int64_t rows, int64_t columns, int64_t access) {
  LineGroup group;
  if (columns > kWarp * kThreadElements) {
    int64_t wanted = powerOfTwo(llvm::divideCeil(columns, kThreadElements));
    group.threads = std::min(wanted, kMaxThreads);
    return group;
  }
  int64_t lanes =
      std::min(powerOfTwo(llvm::divideCeil(columns, access)), kWarp);
  group.lines =
      std::clamp(powerOfTwo(rows), kWarp / lanes, kWarpLineThreads / lanes);
  group.threads = group.lines * lanes;
  return group;
}

LineGroup groupForColumns(int64_t rows, int64_t columns) {
  LineGroup group;
  group.interleaved = true;
  int64_t lanes = powerOfTwo(llvm::divideCeil(rows, kThreadElements));
  group.lines =
      std::min(powerOfTwo(columns), lanes == 1 ? kWarpLineThreads : kWarp);
  group.threads = std::clamp(group.lines * lanes, kWarp, kMaxThreads);
  return group;
}

class Emitter {
public:
  Emitter(TensorKernel &kernel, const FlatPlan &plan)
      : kernel(kernel), plan(plan), b(kernel.builder()), elements(kernel, plan),
        passes(kernel, plan),
        lineSpace(plan.byRow ? Space::Row : Space::Column),
        lines(plan.byRow ? plan.rows : plan.columns),
        extent(plan.byRow ? plan.columns : plan.rows),
        access(plan.byRow && plan.columns % kAccess == 0 ? kAccess : 1),
        group(plan.byRow ? groupForRows(lines, extent, access)
                         : groupForColumns(plan.rows, plan.columns)) {
    slots = llvm::divideCeil(extent, group.lanes() * access);
    int64_t kept = passes.keepsValues() ? passes.keptValues() : 1;
    inRegisters = slots * access <= kThreadElements &&
                  slots * access * kept <= kThreadValues;
    memos.resize(inRegisters ? slots : 0);
  }

  LaunchShape run() {
    findLine();
    Value zero = b.constant(0);
    elements.fixLoads(Space::Scalar, zero);
    for (const FlatOp &flat : plan.ops)
      if (flat.space == Space::Scalar)
        elements.fixOp(flat, zero, zero);
    elements.fixLoads(lineSpace, line);
    for (unsigned pass = 0; pass < passes.count(); ++pass)
      emitPass(pass);
    emitLineOps(passes.count());
    storeLine();
    int64_t blocks = llvm::divideCeil(lines, group.lines);
    return {blocks, group.threads};
  }

private:
  /// A block may have more groups than there are lines. Those without one
  /// follow the last line's, but have no elements and store nothing.
  void findLine() {
    thread = threadNumber(b);
    lane = laneOf(b, group, thread);
    line = b.add(b.mul(blockNumber(b), group.lines), lineOf(b, group, thread));
    limit = b.constant(extent);
    if (lines % group.lines == 0)
      return;
    hasLine = less(b, line, b.constant(lines));
    line = b.min(line, b.constant(lines - 1));
    limit = arith::SelectOp::create(b, hasLine, limit, b.constant(0));
  }

  Elements elementsAt(Value along) {
    Elements at;
    at.row = plan.byRow ? line : along;
    at.column = plan.byRow ? along : line;
    at.first = b.add(b.mul(at.row, plan.columns), at.column);
    at.count = access;
    at.aligned = access == kAccess;
    return at;
  }

  void emitLineOps(unsigned pass) {
    for (const FlatOp &flat : plan.ops)
      if (flat.space == lineSpace && !flat.reduces &&
          passes.passOf(flat) == pass)
        elements.fixOp(flat, line, line);
  }

  SmallVector<const FlatOp *> reductionsOf(unsigned pass) {
    SmallVector<const FlatOp *> reductions;
    for (const FlatOp &flat : plan.ops)
      if (flat.reduces && passes.passOf(flat) == pass)
        reductions.push_back(&flat);
    return reductions;
  }

  void emitPass(unsigned pass) {
    emitLineOps(pass);
    auto reductions = reductionsOf(pass);
    bool stores = pass + 1 == passes.count();
    Carried accumulators;
    for (const FlatOp *flat : reductions)
      for (unsigned i = 0, e = flat->op->getNumResults(); i < e; ++i)
        accumulators.push_back(arith::ConstantOp::create(
            b, *arith::getNeutralElement(combinerOf(flat->op, i))));
    forEachSlot(accumulators, [&](Value along, Carried &inner,
                                  ElementEmitter::Memo &memo) {
      Elements at = elementsAt(along);
      size_t first = 0;
      for (const FlatOp *flat : reductions) {
        size_t count = flat->op->getNumResults();
        auto own = MutableArrayRef(inner).slice(first, count);
        llvm::copy(elements.reduce(*flat, at, memo, llvm::to_vector(own)),
                   own.begin());
        first += count;
      }
      if (stores)
        elements.storeResults(at, memo);
    });
    size_t next = 0;
    for (const FlatOp *flat : reductions)
      for (OpResult result : flat->op->getResults())
        finishReduction(*flat, result, accumulators[next++]);
  }

  void finishReduction(const FlatOp &flat, OpResult result, Value accumulator) {
    linalg::GenericOp op = flat.op;
    unsigned number = result.getResultNumber();
    Operation *combiner = combinerOf(op, number);
    Value all = combineLine(b, group, thread, combiner, accumulator);
    Value init = elements.fixed(flat, *op.getDpsInitOperand(number));
    elements.fix(result, combine(b, combiner, init, all));
  }

  using SlotBody =
      llvm::function_ref<void(Value, Carried &, ElementEmitter::Memo &)>;

  void forEachSlot(Carried &accumulators, SlotBody body) {
    int64_t step = group.lanes() * access;
    Value start = b.mul(lane, access);
    if (!inRegisters)
      return carryLoop(b, start, limit, step, accumulators,
                       [&](Value along, Carried &inner) {
                         ElementEmitter::Memo memo;
                         body(along, inner, memo);
                       });
    for (int64_t i = 0; i < slots; ++i) {
      Value along = b.add(start, i * step);
      if (!hasLine && (i + 1) * step <= extent)
        body(along, accumulators, memos[i]);
      else
        emitGuarded(less(b, along, limit), accumulators, memos[i],
                    [&](Carried &inner, ElementEmitter::Memo &memo) {
                      body(along, inner, memo);
                    });
    }
  }

  /// Emits `body` for threads inside the line. The others keep their
  /// accumulators, and get zeros for what is kept for later passes.
  void emitGuarded(
      Value inside, Carried &accumulators, ElementEmitter::Memo &memo,
      llvm::function_ref<void(Carried &, ElementEmitter::Memo &)> body) {
    auto draft = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
    Carried inner = accumulators;
    ElementEmitter::Memo known = memo;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&draft.getThenRegion().front());
      body(inner, known);
    }
    Carried outer = accumulators;
    for (auto &[key, values] : llvm::drop_begin(known, memo.size()))
      for (Value value : values) {
        inner.push_back(value);
        outer.push_back(arith::ConstantOp::create(
            b, cast<TypedAttr>(b.getZeroAttr(value.getType()))));
      }
    if (!inner.empty())
      joinBranches(draft, inner, outer);
    accumulators.assign(outer.begin(), outer.begin() + accumulators.size());
    size_t next = accumulators.size();
    for (auto &[key, values] : llvm::drop_begin(known, memo.size()))
      for (Value &value : values)
        value = outer[next++];
    memo = std::move(known);
  }

  /// Makes `draft` yield `inner`, or `outer` where it is not entered; leaves
  /// its results in `outer`.
  void joinBranches(scf::IfOp draft, Carried &inner, Carried &outer) {
    auto joined =
        scf::IfOp::create(b, ValueRange(inner).getTypes(), draft.getCondition(),
                          /*withElseRegion=*/true);
    joined.getThenRegion().takeBody(draft.getThenRegion());
    OpBuilder::InsertionGuard guard(b);
    Block &then = joined.getThenRegion().front();
    then.getTerminator()->erase();
    b.setInsertionPointToEnd(&then);
    scf::YieldOp::create(b, inner);
    b.setInsertionPointToStart(&joined.getElseRegion().front());
    scf::YieldOp::create(b, outer);
    outer.assign(joined.result_begin(), joined.result_end());
    draft.erase();
  }

  /// One thread of the group stores the results of the line, when all have read
  /// what these overwrite.
  void storeLine() {
    SmallVector<const TensorKernel::Result *> results;
    bool overwrites = false;
    for (const TensorKernel::Result &result : kernel.results())
      if (isOfLine(result.root)) {
        results.push_back(&result);
        overwrites |= result.inPlace.has_value();
      }
    if (results.empty())
      return;
    if (overwrites)
      barrier(b);
    Value writes =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, b.constant(0));
    if (hasLine)
      writes = arith::AndIOp::create(b, writes, hasLine);
    onlyIf(b, writes, [&] {
      for (const TensorKernel::Result *result : results)
        memref::StoreOp::create(b, elements.lineValue(result->root),
                                kernel.buffer(result->root), line);
    });
  }

  bool isOfLine(Value root) {
    for (const FlatOp &flat : plan.ops)
      if (flat.op == root.getDefiningOp())
        return flat.reduces || flat.space == lineSpace;
    return false;
  }

  TensorKernel &kernel;
  const FlatPlan &plan;
  KernelBuilder &b;
  ElementEmitter elements;
  LinePasses passes;
  Space lineSpace;
  int64_t lines, extent; ///< extent: the elements of a line
  int64_t access;        ///< elements of a slot
  LineGroup group;
  int64_t slots;
  bool inRegisters;
  SmallVector<ElementEmitter::Memo> memos; ///< per slot, if in registers
  Value thread, lane, line;
  Value limit;   ///< where the line ends for this thread
  Value hasLine; ///< null if all groups have one
};

} // namespace

LaunchShape emitLineKernel(TensorKernel &kernel, const FlatPlan &plan) {
  return Emitter(kernel, plan).run();
}

} // namespace graphc
