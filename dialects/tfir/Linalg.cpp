// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builders of linalg.generic.
#include "dialects/tfir/Linalg.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace graphc::tfir {

Value emptyTensor(OpBuilder &builder, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType());
}

Value filledTensor(OpBuilder &builder, Location loc, RankedTensorType type,
                   Value value) {
  Value empty = emptyTensor(builder, loc, type);
  return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
}

linalg::GenericOp buildGeneric(OpBuilder &builder, Location loc,
                               ValueRange inputs, ValueRange outputs,
                               ArrayRef<AffineMap> maps, int64_t loops,
                               ArrayRef<int64_t> reduced, ScalarBody body) {
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  for (int64_t dim : reduced)
    iterators[dim] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
      builder, loc, outputs.getTypes(), inputs, outputs, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc, body(b, loc, args));
      });
}

Value buildFromIndices(
    OpBuilder &builder, Location loc, RankedTensorType type,
    function_ref<Value(OpBuilder &, Location, ValueRange)> element) {
  int64_t rank = type.getRank();
  Value empty = emptyTensor(builder, loc, type);
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  return buildGeneric(builder, loc, {}, empty, identity, rank, {},
                      [&](OpBuilder &b, Location loc, ValueRange) {
                        SmallVector<Value> indices;
                        for (int64_t i = 0; i < rank; ++i)
                          indices.push_back(linalg::IndexOp::create(b, loc, i));
                        return SmallVector<Value>{element(b, loc, indices)};
                      })
      .getResult(0);
}

} // namespace graphc::tfir
