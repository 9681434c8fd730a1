// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/plain/PlainMatmul.h"

#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/MatmulBatch.h"
#include "dialects/tfir/Support.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

Value buildPlainMatmul(OpBuilder &b, ContractionInterface product) {
  Location loc = product.getLoc();
  MatmulSpec spec = product.getSpec().matmul;
  MatmulBatch batch = batchOf(product);
  // Loops: those of the batch, rows, columns, terms.
  unsigned rows = batch.shape.size(), columns = rows + 1, terms = rows + 2;
  auto map = [&](Value tensor, int64_t stride, unsigned x, unsigned y) {
    int64_t leading = tensorType(tensor).getRank() - 2;
    SmallVector<AffineExpr> exprs;
    for (int64_t i = 0; i < leading; ++i)
      exprs.push_back(stride ? b.getAffineDimExpr(i)
                             : b.getAffineConstantExpr(0));
    exprs.append({b.getAffineDimExpr(x), b.getAffineDimExpr(y)});
    return AffineMap::get(terms + 1, 0, exprs, b.getContext());
  };
  Value x = product->getOperand(0), y = product->getOperand(1);
  Value result = product->getResult(0);
  AffineMap maps[] = {map(x, batch.strideA, spec.transposeA ? terms : rows,
                          spec.transposeA ? rows : terms),
                      map(y, batch.strideB, spec.transposeB ? columns : terms,
                          spec.transposeB ? terms : columns),
                      map(result, 1, rows, columns)};
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  auto body = [](OpBuilder &b, Location loc, ValueRange x) {
    Value term = arith::MulFOp::create(b, loc, x[0], x[1]);
    return SmallVector<Value>{arith::AddFOp::create(b, loc, x[2], term)};
  };
  return buildGeneric(b, loc, {x, y},
                      filledTensor(b, loc, tensorType(result), zero), maps,
                      terms + 1, {static_cast<int64_t>(terms)}, body)
      .getResult(0);
}

} // namespace graphc
