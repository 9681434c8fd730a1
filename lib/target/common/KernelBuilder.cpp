// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shorthands of KernelBuilder.h.
#include "lib/target/common/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {

Value KernelBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value KernelBuilder::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(a, b);
}

Value KernelBuilder::add(Value a, int64_t b) {
  return b == 0 ? a : add(a, constant(b));
}

Value KernelBuilder::sub(Value a, Value b) {
  return createOrFold<arith::SubIOp>(a, b);
}

Value KernelBuilder::mul(Value a, int64_t b) {
  return b == 1 ? a : createOrFold<arith::MulIOp>(a, constant(b));
}

Value KernelBuilder::div(Value a, int64_t b) {
  return b == 1 ? a : createOrFold<arith::DivUIOp>(a, constant(b));
}

Value KernelBuilder::rem(Value a, int64_t b) {
  return createOrFold<arith::RemUIOp>(a, constant(b));
}

Value KernelBuilder::min(Value a, Value b) {
  return createOrFold<arith::MinSIOp>(a, b);
}

Value KernelBuilder::max(Value a, Value b) {
  return createOrFold<arith::MaxSIOp>(a, b);
}

void KernelBuilder::loop(Value lower, Value upper, int64_t step,
                         LoopBody body) {
  std::optional<int64_t> from = getConstantIntValue(lower);
  std::optional<int64_t> to = getConstantIntValue(upper);
  if (from && to && *from >= *to)
    return;
  if (from && to && *from + step >= *to)
    return body(lower);
  auto op = scf::ForOp::create(*this, lower, upper, constant(step));
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

void KernelBuilder::blocks(int64_t count, int64_t size, BlockBody body) {
  int64_t whole = count / size * size;
  loop(constant(0), constant(whole), size,
       [&](Value first) { body(first, size); });
  if (whole < count)
    body(constant(whole), count - whole);
}

void KernelBuilder::ifEqual(Value a, int64_t b, llvm::function_ref<void()> then,
                            llvm::function_ref<void()> otherwise) {
  Value equal =
      arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, a, constant(b));
  auto op = scf::IfOp::create(*this, equal, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(&op.getThenRegion().front());
  then();
  setInsertionPointToStart(&op.getElseRegion().front());
  otherwise();
}

Value KernelBuilder::flatten(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1)
    return buffer;
  auto flat = MemRefType::get({type.getNumElements()}, type.getElementType());
  return memref::ReinterpretCastOp::create(
      *this, flat, buffer, /*offset=*/0, flat.getShape(), ArrayRef<int64_t>{1});
}

Value KernelBuilder::floats(Value scratch, int64_t offset, int64_t count) {
  return memref::ViewOp::create(*this, MemRefType::get({count}, getF32Type()),
                                scratch, constant(offset), ValueRange{});
}

VectorType KernelBuilder::floatVector(int64_t width) {
  return VectorType::get({width}, getF32Type());
}

Value KernelBuilder::splat(int64_t width, float value) {
  VectorType type = floatVector(width);
  return arith::ConstantOp::create(*this, type,
                                   DenseElementsAttr::get(type, value));
}

Value KernelBuilder::mask(int64_t width, int64_t lanes) {
  if (lanes >= width)
    return {};
  auto type = VectorType::get({width}, getI1Type());
  return vector::ConstantMaskOp::create(*this, type, ArrayRef<int64_t>{lanes});
}

Value KernelBuilder::load(VectorType type, Value buffer, ValueRange indices,
                          Value mask) {
  if (!mask)
    return vector::LoadOp::create(*this, type, buffer, indices);
  Value zero = arith::ConstantOp::create(*this, type, getZeroAttr(type));
  return vector::MaskedLoadOp::create(*this, type, buffer, indices, mask, zero);
}

/// Tells a mask that lets the first lane through alone.
static bool isOneLane(Value mask) {
  auto constant = mask ? mask.getDefiningOp<vector::ConstantMaskOp>() : nullptr;
  return constant && constant.getMaskDimSizes() == ArrayRef<int64_t>{1};
}

void KernelBuilder::store(Value vector, Value buffer, ValueRange indices,
                          Value mask) {
  // LLVM 22 makes a masked store of one lane of truncated integers, with
  // AVX-512, a store of the wide integer: bytes after the element are lost.
  if (isOneLane(mask))
    memref::StoreOp::create(*this, vector::ExtractOp::create(*this, vector, 0),
                            buffer, indices);
  else if (mask)
    vector::MaskedStoreOp::create(*this, buffer, indices, mask, vector);
  else
    vector::StoreOp::create(*this, vector, buffer, indices);
}

} // namespace graphc
