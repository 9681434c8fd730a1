// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/shards/ElementwiseUpdate.h"

#include "dialects/tfir/training/Arithmetic.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

bool isElementwiseUpdate(ApplyOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = tensorType(op.getGradient());
  OptimizerAttrInterface optimizer = op.getOptimizer();
  Block block;
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  Arithmetic a{builder, loc};
  auto argumentOf = [&](Type of) -> Value {
    return block.addArgument(of, loc);
  };
  SmallVector<Value> powers, shared, slots;
  for (size_t i = 0; i < optimizer.getSharedPowers().size(); ++i)
    powers.push_back(argumentOf(sharedPowerType(op.getContext())));
  for (Value scalar :
       optimizer.buildShared(a, argumentOf(op.getRate().getType()), powers))
    shared.push_back(a.cast(scalar, type.getElementType()));
  for (size_t i = 0; i < optimizer.getSlotValues().size(); ++i)
    slots.push_back(argumentOf(type));
  optimizer.buildUpdate(a, argumentOf(type), argumentOf(type), shared, slots);
  return llvm::all_of(block, [](Operation &made) {
    return isa<Elementwise>(made) || made.hasTrait<OpTrait::ConstantLike>();
  });
}

} // namespace graphc
