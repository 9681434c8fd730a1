// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A round of Philox multiplies two 32-bit words to 64-bit products and xors
// their halves with other words:
//
//   x' = trunc(p >> 32) ^ y          p' = zext(x') * M
//
// Packing the halves into 32-bit lanes and unpacking them again costs more than
// the products. The multiplier reads the low half of a 64-bit lane only, so
//
//   x' = (p >> 32) ^ zext(y)         p' = (x' & 0xffffffff) * M
//
// needs neither, and the mask costs nothing.
#include "lib/target/cpu/WidenProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace graphc {
namespace {

Type wide(Type type) {
  Type i64 = IntegerType::get(type.getContext(), 64);
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(i64);
  return i64;
}

Value constantLike(OpBuilder &b, Location loc, Type type, uint64_t value) {
  TypedAttr attr =
      b.getIntegerAttr(getElementTypeOrSelf(type), static_cast<int64_t>(value));
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, cast<Attribute>(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

/// mului_extended as one product of 64 bits and its halves.
void splitProduct(arith::MulUIExtendedOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type narrow = op.getLhs().getType(), type = wide(narrow);
  Value product = arith::MulIOp::create(
      b, loc, arith::ExtUIOp::create(b, loc, type, op.getLhs()),
      arith::ExtUIOp::create(b, loc, type, op.getRhs()));
  Value high =
      arith::ShRUIOp::create(b, loc, product, constantLike(b, loc, type, 32));
  op.getLow().replaceAllUsesWith(
      arith::TruncIOp::create(b, loc, narrow, product));
  op.getHigh().replaceAllUsesWith(
      arith::TruncIOp::create(b, loc, narrow, high));
  op.erase();
}

/// Finds for 32-bit values a 64-bit value with the same low half.
class Widener {
public:
  Value widen(Value value) {
    Value &known = cache[value];
    if (known)
      return known;
    Value result = make(value);
    return cache[value] = result;
  }

private:
  Value make(Value value) {
    if (auto trunc = value.getDefiningOp<arith::TruncIOp>())
      if (trunc.getIn().getType() == wide(value.getType()))
        return trunc.getIn();
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    if (auto splat = value.getDefiningOp<vector::BroadcastOp>())
      if (splat.getSource().getType().isInteger(32))
        return vector::BroadcastOp::create(
            b, value.getLoc(), wide(value.getType()),
            arith::ExtUIOp::create(b, value.getLoc(), b.getI64Type(),
                                   splat.getSource())
                .getResult());
    if (auto combined = value.getDefiningOp<arith::XOrIOp>())
      return arith::XOrIOp::create(b, value.getLoc(), widen(combined.getLhs()),
                                   widen(combined.getRhs()));
    return arith::ExtUIOp::create(b, value.getLoc(), wide(value.getType()),
                                  value);
  }

  llvm::DenseMap<Value, Value> cache;
};

bool isWord(Type type) { return getElementTypeOrSelf(type).isInteger(32); }

} // namespace

void widenProducts(func::FuncOp func) {
  SmallVector<arith::MulUIExtendedOp> products;
  func.walk([&](arith::MulUIExtendedOp op) {
    if (isWord(op.getLow().getType()))
      products.push_back(op);
  });
  for (arith::MulUIExtendedOp op : products)
    splitProduct(op);

  SmallVector<arith::ExtUIOp> extensions;
  func.walk([&](arith::ExtUIOp op) {
    if (isWord(op.getIn().getType()) &&
        op.getType() == wide(op.getIn().getType()) &&
        op.getIn().getDefiningOp<arith::XOrIOp>())
      extensions.push_back(op);
  });
  Widener widener;
  for (arith::ExtUIOp op : extensions) {
    OpBuilder b(op);
    Value low = constantLike(b, op.getLoc(), op.getType(), 0xffffffff);
    op.replaceAllUsesWith(
        arith::AndIOp::create(b, op.getLoc(), widener.widen(op.getIn()), low)
            .getResult());
    op.erase();
  }
}

} // namespace graphc
