// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/tfir/ops/random/RandomExpr.h"

#include "dialects/tfir/Support.h"

using namespace mlir;

namespace graphc::tfir {

namespace {

/// FNV-1a, so that the stream of an op follows from its name alone.
uint32_t hashName(StringRef name) {
  uint32_t hash = 2166136261u;
  for (unsigned char c : name)
    hash = (hash ^ c) * 16777619u;
  return hash;
}

/// The stream of a random op; `part` tells apart the streams of one op.
int64_t streamOf(Operation *op, std::optional<int64_t> seed, uint32_t part) {
  if (seed)
    return hashName("seed " + std::to_string(*seed) + " " +
                    std::to_string(part));
  std::string name = op->getName().getStringRef().str();
  if (auto attr = getNodeName(op))
    name = attr.getValue().str();
  return hashName(name + " " + std::to_string(part));
}

} // namespace

LogicalResult verifyRandomSize(Operation *op, RankedTensorType type) {
  if (!type.hasStaticShape() || type.getNumElements() <= kMaxRandomElements)
    return success();
  return op->emitOpError() << "makes " << type.getNumElements()
                           << " elements, at most " << kMaxRandomElements
                           << " are possible; split the tensor";
}

Value uniform(Operation *op, OpBuilder &b, RankedTensorType type,
              std::optional<int64_t> seed, uint32_t part) {
  auto word = RankedTensorType::get({}, b.getI32Type());
  auto state = StepStateOp::create(b, op->getLoc(), word, word, word, word,
                                   /*replica=*/0);
  return PhiloxUniformOp::create(
      b, op->getLoc(), type, state.getSeedLow(), state.getSeedHigh(),
      state.getStep(), state.getReplicaWord(), streamOf(op, seed, part));
}

} // namespace graphc::tfir
