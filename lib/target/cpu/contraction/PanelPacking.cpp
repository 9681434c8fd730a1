// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing with explicit vectors of 16: LLVM turns plain loops of this kind into
// calls of memcpy or into gathers, neither of which a kernel can use.
#include "lib/target/cpu/contraction/PanelPacking.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {

constexpr int64_t kLanes = 16;
/// Longest row that is copied without a loop, in vectors.
constexpr int64_t kUnrolledVectors = 4;

void emitCopyBlock(KernelBuilder &b, const CopyBlock &copy) {
  VectorType type = b.floatVector(kLanes);
  b.loop(b.constant(0), copy.rows, 1, [&](Value row) {
    Value from = b.add(copy.base, b.mul(row, copy.sourceStride));
    Value to = b.add(copy.targetBase, b.mul(row, copy.targetStride));
    auto move = [&](Value at, int64_t lanes) {
      Value mask = b.mask(kLanes, lanes);
      Value vector = b.load(type, copy.source, b.add(from, at), mask);
      b.store(vector, copy.target, b.add(to, at), copy.pad ? Value() : mask);
    };
    if (copy.columns < (kUnrolledVectors + 1) * kLanes)
      for (int64_t c = 0; c < copy.columns; c += kLanes)
        move(b.constant(c), std::min(kLanes, copy.columns - c));
    else
      b.blocks(copy.columns, kLanes, move);
  });
}

/// Transposes 16 vectors of 16 lanes: single elements, then pairs, trade places
/// within 128 bits; then the 128-bit lanes themselves do, in two steps. Each
/// step is one instruction per vector.
static void transpose16(KernelBuilder &b, SmallVector<Value> &rows) {
  auto shuffle = [&](Value x, Value y, ArrayRef<int64_t> mask) -> Value {
    return vector::ShuffleOp::create(b, x, y, mask);
  };
  SmallVector<int64_t> lowWord, highWord, lowPair, highPair, even, odd;
  for (int64_t lane = 0; lane < kLanes; lane += 4) {
    lowWord.append({lane, lane + 16, lane + 1, lane + 17});
    highWord.append({lane + 2, lane + 18, lane + 3, lane + 19});
    lowPair.append({lane, lane + 1, lane + 16, lane + 17});
    highPair.append({lane + 2, lane + 3, lane + 18, lane + 19});
  }
  for (int64_t quarter = 0; quarter < 32; quarter += 8)
    for (int64_t i = 0; i < 4; ++i) {
      even.push_back(quarter + i);
      odd.push_back(quarter + 4 + i);
    }
  SmallVector<Value> t(kLanes);
  for (int64_t i = 0; i < 16; i += 2) {
    t[i] = shuffle(rows[i], rows[i + 1], lowWord);
    t[i + 1] = shuffle(rows[i], rows[i + 1], highWord);
  }
  for (int64_t i = 0; i < 16; i += 4)
    for (int64_t j = 0; j < 2; ++j) {
      rows[i + 2 * j] = shuffle(t[i + j], t[i + j + 2], lowPair);
      rows[i + 2 * j + 1] = shuffle(t[i + j], t[i + j + 2], highPair);
    }
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t half = 0; half < 16; half += 8) {
      t[half + i] = shuffle(rows[half + i], rows[half + i + 4], even);
      t[half + i + 4] = shuffle(rows[half + i], rows[half + i + 4], odd);
    }
  for (int64_t i = 0; i < 8; ++i) {
    rows[i] = shuffle(t[i], t[i + 8], even);
    rows[i + 8] = shuffle(t[i], t[i + 8], odd);
  }
}

/// Transposes `columns` x `depth` elements, both at most 16.
static void emitSquare(KernelBuilder &b, const TransposeBlock &block,
                       Value from, Value to, int64_t columns, int64_t depth) {
  VectorType type = b.floatVector(kLanes);
  SmallVector<Value> rows(kLanes, b.splat(kLanes, 0.0f));
  Value mask = b.mask(kLanes, depth);
  for (int64_t c = 0; c < columns; ++c)
    rows[c] =
        b.load(type, block.source, b.add(from, c * block.sourceStride), mask);
  transpose16(b, rows);
  Value storeMask = block.pad ? Value() : b.mask(kLanes, columns);
  for (int64_t k = 0; k < depth; ++k)
    b.store(rows[k], block.target, b.add(to, k * block.targetStride),
            storeMask);
}

void emitTransposeBlock(KernelBuilder &b, const TransposeBlock &block) {
  auto strip = [&](Value c, int64_t columns) {
    Value from = b.add(block.base, b.mul(c, block.sourceStride));
    Value to = b.add(block.targetBase, c);
    b.blocks(block.depth, kLanes, [&](Value k, int64_t depth) {
      emitSquare(b, block, b.add(from, k),
                 b.add(to, b.mul(k, block.targetStride)), columns, depth);
    });
  };
  b.blocks(block.columns, kLanes, strip);
}

void emitFill(KernelBuilder &b, Value target, Value begin, int64_t count,
              float value) {
  Value vector = b.splat(kLanes, value);
  b.blocks(count, kLanes, [&](Value i, int64_t lanes) {
    b.store(vector, target, b.add(begin, i), b.mask(kLanes, lanes));
  });
}

} // namespace graphc
