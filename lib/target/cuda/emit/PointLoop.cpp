// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parallel loops count points. A point is a thread's, which does the
// reduction loops; or, for long reductions with a known combiner, a group's,
// whose threads share these:
//
//   for (point = group; point < points; point += groups)
//     for (step = lane; step < steps; step += lanes) accumulate
//     combine the accumulators of the group; its first thread stores
#include "lib/target/cuda/emit/PointLoop.h"

#include "lib/target/common/Lanes.h"
#include "lib/target/cuda/emit/LineGroup.h"
#include "lib/target/cuda/emit/PointEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace graphc {
namespace {

/// Shorter reductions are a thread's own.
constexpr int64_t kSharedSteps = 64;
/// A group of a warp needs as many turns for this as a block should.
constexpr int64_t kBlockSteps = 1024;
/// As many points keep a GPU busy without sharing their reductions.
constexpr int64_t kManyPoints = 65536;

class Emitter {
public:
  Emitter(KernelBuilder &b, const LoopNest &nest,
          llvm::function_ref<TensorView(Value)> captured, int64_t mostBlocks)
      : b(b), op(nest.op), emitter(b, nest, captured), mostBlocks(mostBlocks),
        points(emitter.steps(emitter.parallels())),
        steps(emitter.steps(emitter.reductions())) {
    for (unsigned dim : emitter.reductions())
      if (emitter.size(dim) > 1)
        innerReduces = llvm::all_of(emitter.parallels(), [&](unsigned other) {
          return other < dim || emitter.size(other) == 1;
        });
  }

  LaunchShape run() {
    if (points == 0)
      return {1, kThreads};
    bool worthIt = steps >= kSharedSteps && hasCombiners(op) &&
                   (innerReduces || points < kManyPoints);
    return worthIt ? runInGroups() : runInThreads();
  }

private:
  using Values = Carried;

  // --- a thread per point -------------------------------------------------

  void reduce(ArrayRef<unsigned> dims, Values &values) {
    if (dims.empty()) {
      values = emitter.compute(values);
      return;
    }
    unsigned dim = dims.front();
    carryLoop(b, b.constant(0), b.constant(emitter.size(dim)), 1, values,
              [&](Value i, Values &inner) {
                emitter.enter(dim, i);
                reduce(dims.drop_front(), inner);
              });
  }

  void emitPoint(Value point) {
    emitter.enter(emitter.parallels(), point);
    Values values =
        emitter.reductions().empty() ? Values() : emitter.initials();
    reduce(emitter.reductions(), values);
    emitter.store(values);
  }

  LaunchShape runInThreads() {
    LaunchShape shape = shapeForThreads(points);
    shape = {std::min(shape.grid, mostBlocks), kThreads};
    int64_t threads = shape.grid * shape.block;
    Value thread = gridThreadNumber(b, kThreads);
    if (points > threads)
      b.loop(thread, b.constant(points), threads,
             [&](Value point) { emitPoint(point); });
    else
      onlyIf(b,
             points == threads ? Value() : less(b, thread, b.constant(points)),
             [&] { emitPoint(thread); });
    return shape;
  }

  // --- a group per point --------------------------------------------------

  LineGroup chooseGroup() {
    LineGroup group;
    group.threads = kThreads;
    group.interleaved = !innerReduces;
    if (group.interleaved)
      group.lines = std::min<int64_t>(
          static_cast<int64_t>(llvm::PowerOf2Ceil(points)), kWarp);
    else if (points >= kThreads / kWarp || steps <= kBlockSteps)
      group.lines = kThreads / kWarp;
    return group;
  }

  LaunchShape runInGroups() {
    LineGroup group = chooseGroup();
    int64_t blocks = llvm::divideCeil(points, group.lines);
    LaunchShape shape{std::min(blocks, mostBlocks), kThreads};
    Value thread = threadNumber(b);
    Value block = blockNumber(b);
    if (blocks == shape.grid) {
      emitBlock(group, thread, b.mul(block, group.lines));
      return shape;
    }
    // All threads of a block take the same turns, since they meet in each.
    b.loop(block, b.constant(blocks), shape.grid, [&](Value turn) {
      emitBlock(group, thread, b.mul(turn, group.lines));
      if (group.spansWarps())
        barrier(b); // before shared memory is written again
    });
    return shape;
  }

  /// The points from `first` on, one per group of the block.
  void emitBlock(const LineGroup &group, Value thread, Value first) {
    Value lane = laneOf(b, group, thread);
    Value point = b.add(first, lineOf(b, group, thread));
    Value limit = b.constant(steps);
    Value writes =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, b.constant(0));
    if (points % group.lines != 0) { // a group without a point does nothing
      Value hasPoint = less(b, point, b.constant(points));
      point = b.min(point, b.constant(points - 1));
      limit = arith::SelectOp::create(b, hasPoint, limit, b.constant(0));
      writes = arith::AndIOp::create(b, writes, hasPoint);
    }
    emitter.enter(emitter.parallels(), point);
    Values values;
    for (unsigned i = 0, e = op->getNumResults(); i < e; ++i)
      values.push_back(arith::ConstantOp::create(
          b, *arith::getNeutralElement(combinerOf(op, i))));
    carryLoop(b, lane, limit, group.lanes(), values,
              [&](Value step, Values &inner) {
                emitter.enter(emitter.reductions(), step);
                inner = emitter.compute(inner);
              });
    Values inits = emitter.initials();
    for (auto [i, value] : llvm::enumerate(values)) {
      Operation *combiner = combinerOf(op, i);
      value = combine(b, combiner, inits[i],
                      combineLine(b, group, thread, combiner, value));
    }
    onlyIf(b, writes, [&] { emitter.store(values); });
  }

  KernelBuilder &b;
  linalg::GenericOp op;
  PointEmitter emitter;
  int64_t mostBlocks;
  int64_t points, steps;
  bool innerReduces = false; ///< the innermost loop is a reduction
};

} // namespace

LaunchShape emitPointLoop(KernelBuilder &b, const LoopNest &nest,
                          llvm::function_ref<TensorView(Value)> captured,
                          int64_t mostBlocks) {
  return Emitter(b, nest, captured, mostBlocks).run();
}

} // namespace graphc
