// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block takes tiles of 32 x 32 points. Its eight warps read the turned
// operand row by row of what it is in memory, and write the results row by row
// of what they are; in between, the tile lies in shared memory. Its rows are
// one element longer there than the tile, so that a column has an element in
// each bank.
//
//   for each tile of the block
//     shared[i][j] = operand at (inner = tile.inner + j, outer = tile.outer +
//     i) barrier results at (inner = tile.inner + i, outer = tile.outer + j)
//       from shared[j][i]
//     barrier
#include "lib/target/cuda/emit/TileLoop.h"

#include "lib/target/cuda/emit/PointEmitter.h"
#include "lib/target/cuda/emit/Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace graphc {
namespace {

constexpr int64_t kTile = kWarp;
constexpr int64_t kTileWarps = kThreads / kWarp;
/// In smaller dimensions most of a tile would be empty.
constexpr int64_t kMinSize = 16;

class Emitter {
public:
  Emitter(KernelBuilder &b, const LoopNest &nest,
          llvm::function_ref<TensorView(Value)> captured, TurnedOperand turned,
          int64_t mostBlocks)
      : b(b), emitter(b, nest, captured), turned(turned),
        mostBlocks(mostBlocks), innerSize(emitter.size(turned.inner)),
        outerSize(emitter.size(turned.outer)),
        innerTiles(llvm::divideCeil(innerSize, kTile)),
        outerTiles(llvm::divideCeil(outerSize, kTile)) {
    for (unsigned dim : emitter.parallels())
      if (dim != turned.inner && dim != turned.outer)
        others.push_back(dim);
  }

  LaunchShape run() {
    int64_t tiles = emitter.steps(others) * innerTiles * outerTiles;
    LaunchShape shape{std::min(tiles, mostBlocks), kThreads};
    Value thread = threadNumber(b);
    lane = fastRem(b, thread, kWarp, kThreads);
    warp = fastDiv(b, thread, kWarp, kThreads);
    shared = sharedBuffer(b, getElementTypeOrSelf(turned.operand->get()),
                          kTile * (kTile + 1));
    Value block = blockNumber(b);
    if (tiles == shape.grid)
      emitTile(block, tiles);
    else
      b.loop(block, b.constant(tiles), shape.grid, [&](Value tile) {
        emitTile(tile, tiles);
        barrier(b); // before shared memory is written again
      });
    return shape;
  }

private:
  void emitTile(Value tile, int64_t tiles) {
    Value outer = fastRem(b, tile, outerTiles, tiles);
    Value rest = fastDiv(b, tile, outerTiles, tiles);
    Value inner = fastRem(b, rest, innerTiles, tiles);
    emitter.enter(others, fastDiv(b, rest, innerTiles, tiles));
    outer = b.mul(outer, kTile);
    inner = b.mul(inner, kTile);
    forEachRow([&](Value row) {
      at(b.add(inner, lane), b.add(outer, row), [&] {
        Value value = emitter.load(*turned.operand);
        memref::StoreOp::create(b, value, shared, sharedIndex(row, lane));
      });
    });
    barrier(b);
    forEachRow([&](Value row) {
      at(b.add(inner, row), b.add(outer, lane), [&] {
        Value value = memref::LoadOp::create(b, shared, sharedIndex(lane, row));
        emitter.store(emitter.compute({}, turned.operand, value));
      });
    });
  }

  /// The rows of a tile that the thread's warp has.
  void forEachRow(llvm::function_ref<void(Value)> body) {
    for (int64_t i = 0; i < kTile; i += kTileWarps)
      body(b.add(warp, i));
  }

  /// Emits `body` at the indices `inner` and `outer`, if they are inside.
  void at(Value inner, Value outer, llvm::function_ref<void()> body) {
    Value inside;
    if (innerSize % kTile != 0)
      inside = less(b, inner, b.constant(innerSize));
    if (outerSize % kTile != 0) {
      Value own = less(b, outer, b.constant(outerSize));
      inside = inside ? arith::AndIOp::create(b, inside, own) : own;
    }
    emitter.enter(turned.inner, inner);
    emitter.enter(turned.outer, outer);
    onlyIf(b, inside, body);
  }

  Value sharedIndex(Value row, Value column) {
    return b.add(b.mul(row, kTile + 1), column);
  }

  KernelBuilder &b;
  PointEmitter emitter;
  TurnedOperand turned;
  int64_t mostBlocks;
  int64_t innerSize, outerSize, innerTiles, outerTiles;
  SmallVector<unsigned> others;
  Value lane, warp, shared;
};

} // namespace

std::optional<TurnedOperand> findTurnedOperand(const LoopNest &nest) {
  linalg::GenericOp op = nest.op;
  if (op.getNumReductionLoops() != 0)
    return {};
  auto sizes = op.getStaticLoopRanges();
  auto strideOf = [&](unsigned dim, OpOperand &operand) {
    unsigned i = operand.getOperandNumber(), inputs = op.getNumDpsInputs();
    return strideAlong(dim, op.getMatchingIndexingMap(&operand),
                       i < inputs ? nest.operands[i]
                                  : nest.results[i - inputs]);
  };
  std::optional<TurnedOperand> found;
  for (unsigned outer = 0; outer < sizes.size(); ++outer) {
    bool ordersResults =
        llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
          return strideOf(outer, init) == 1;
        });
    if (!ordersResults || sizes[outer] < kMinSize)
      continue;
    for (OpOperand *input : op.getDpsInputOperands())
      for (unsigned inner = 0; inner < sizes.size(); ++inner) {
        if (sizes[inner] < kMinSize || strideOf(inner, *input) != 1 ||
            strideOf(outer, *input) <= 1 ||
            !op.payloadUsesValueFromOperand(input))
          continue;
        if (found) // several go through the caches instead
          return {};
        found = {input, inner, outer};
      }
  }
  return found;
}

LaunchShape emitTileLoop(KernelBuilder &b, const LoopNest &nest,
                         llvm::function_ref<TensorView(Value)> captured,
                         TurnedOperand turned, int64_t mostBlocks) {
  return Emitter(b, nest, captured, turned, mostBlocks).run();
}

} // namespace graphc
