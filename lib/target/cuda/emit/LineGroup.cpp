// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Within a warp by shuffles, whose result each lane has; what warps have left
// goes through shared memory, where every thread reads the parts of its line.
#include "lib/target/cuda/emit/LineGroup.h"

#include "lib/target/common/Lanes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace graphc {

Value lineOf(KernelBuilder &b, const LineGroup &group, Value thread) {
  return group.interleaved ? fastRem(b, thread, group.lines, group.threads)
                           : fastDiv(b, thread, group.lanes(), group.threads);
}

Value laneOf(KernelBuilder &b, const LineGroup &group, Value thread) {
  return group.interleaved ? fastDiv(b, thread, group.lines, group.threads)
                           : fastRem(b, thread, group.lanes(), group.threads);
}

/// Combines the parts that the warps of a block have left: one per warp, or
/// `group.lines` where lines are interleaved.
static Value combineWarps(KernelBuilder &b, const LineGroup &group,
                          Value thread, Operation *combiner, Value value) {
  int64_t perWarp = group.interleaved ? group.lines : 1;
  int64_t warps = group.threads / kWarp;
  Value shared = sharedBuffer(b, value.getType(), warps * perWarp);
  Value warp = fastDiv(b, thread, kWarp, group.threads);
  Value inWarp = fastRem(b, thread, kWarp, group.threads);
  onlyIf(b, less(b, inWarp, b.constant(perWarp)), [&] {
    Value at = b.add(b.mul(warp, perWarp), inWarp);
    memref::StoreOp::create(b, value, shared, at);
  });
  barrier(b);
  Value line = group.interleaved ? lineOf(b, group, thread) : b.constant(0);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < warps; ++i)
    parts.push_back(
        memref::LoadOp::create(b, shared, b.add(line, i * perWarp)));
  for (; parts.size() > 1; parts.resize(parts.size() / 2))
    for (size_t i = 0, half = parts.size() / 2; i < half; ++i)
      parts[i] = combine(b, combiner, parts[i], parts[i + half]);
  return parts.front();
}

Value combineLine(KernelBuilder &b, const LineGroup &group, Value thread,
                  Operation *combiner, Value value) {
  int64_t from = group.interleaved ? group.lines : 1;
  int64_t to = group.interleaved ? kWarp : std::min(group.lanes(), kWarp);
  for (int64_t offset = to / 2; offset >= from; offset /= 2)
    value = combine(b, combiner, value, shuffleXor(b, value, offset));
  return group.spansWarps() ? combineWarps(b, group, thread, combiner, value)
                            : value;
}

} // namespace graphc
