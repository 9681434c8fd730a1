// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widens the region of an elementwise generic op by op: the result types become
// vectors, everything else is kept.
#include "lib/target/common/fused/VectorizeBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace graphc {

bool canVectorizeBody(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    if (isa<arith::ConstantOp, linalg::IndexOp>(inner))
      return true;
    return inner.getNumRegions() == 0 && isMemoryEffectFree(&inner) &&
           OpTrait::hasElementwiseMappableTraits(&inner) &&
           llvm::all_of(inner.getResultTypes(), [](Type type) {
             return VectorType::isValidElementType(type);
           });
  });
}

static Value widen(OpBuilder &builder, Location loc, Value value,
                   int64_t width) {
  if (isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get({width}, value.getType());
  return vector::BroadcastOp::create(builder, loc, type, value);
}

/// Clones the elementwise op `inner` onto vectors and records its results.
static void widenOp(OpBuilder &builder, Operation &inner, IRMapping &map,
                    int64_t width) {
  for (Value operand : inner.getOperands())
    map.map(operand, widen(builder, inner.getLoc(),
                           map.lookupOrDefault(operand), width));
  Operation *twin = builder.clone(inner, map);
  for (Value result : twin->getResults())
    result.setType(VectorType::get({width}, result.getType()));
}

SmallVector<Value> vectorizeBody(OpBuilder &builder, linalg::GenericOp op,
                                 ValueRange arguments,
                                 llvm::function_ref<Value(unsigned)> index,
                                 int64_t width) {
  IRMapping map;
  Block *body = op.getBody();
  for (auto [argument, value] : llvm::zip(body->getArguments(), arguments))
    if (value)
      map.map(argument, widen(builder, op.getLoc(), value, width));
  for (Operation &inner : body->without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      auto type = VectorType::get({width}, constant.getType());
      auto splat = DenseElementsAttr::get(type, constant.getValue());
      map.map(constant.getResult(),
              arith::ConstantOp::create(builder, inner.getLoc(), type, splat));
    } else if (auto position = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(position.getResult(),
              widen(builder, inner.getLoc(), index(position.getDim()), width));
    } else {
      widenOp(builder, inner, map, width);
    }
  }
  SmallVector<Value> results;
  for (Value yielded : body->getTerminator()->getOperands())
    results.push_back(
        widen(builder, op.getLoc(), map.lookupOrDefault(yielded), width));
  return results;
}

} // namespace graphc
