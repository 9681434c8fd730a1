// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cuda/emit/Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace graphc {
namespace {

/// The address space of memory that the threads of a block share.
constexpr int64_t kShared = 3;
constexpr int64_t kSharedAlignment = 16;
constexpr uint32_t kAllLanes = 0xffffffff;

Value word(KernelBuilder &b, uint32_t value) {
  return arith::ConstantOp::create(
      b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

template <typename Op> Value number(KernelBuilder &b) {
  Value value = Op::create(b, b.getI32Type());
  return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
}

Value shuffleWord(KernelBuilder &b, Value value, int64_t offset) {
  return NVVM::ShflOp::create(b, value.getType(), word(b, kAllLanes), value,
                              word(b, offset), word(b, kWarp - 1),
                              NVVM::ShflKind::bfly, UnitAttr());
}

template <typename Op>
Value divide(KernelBuilder &b, Value value, int64_t by, int64_t limit) {
  if (limit >= (int64_t(1) << 31))
    return b.createOrFold<Op>(value, b.constant(by));
  Value narrow = b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), value);
  Value result = b.createOrFold<Op>(narrow, word(b, by));
  return b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), result);
}

} // namespace

Value threadNumber(KernelBuilder &b) { return number<NVVM::ThreadIdXOp>(b); }
Value blockNumber(KernelBuilder &b) { return number<NVVM::BlockIdXOp>(b); }

Value gridThreadNumber(KernelBuilder &b, int64_t threads) {
  return b.add(b.mul(blockNumber(b), threads), threadNumber(b));
}

void barrier(KernelBuilder &b) { NVVM::Barrier0Op::create(b); }

Value shuffleXor(KernelBuilder &b, Value value, int64_t offset) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (type.isF32() || type.isInteger(32))
    return shuffleWord(b, value, offset);
  if (bits < 32) {
    Value wide = arith::ExtUIOp::create(b, b.getI32Type(), value);
    return arith::TruncIOp::create(b, type, shuffleWord(b, wide, offset));
  }
  Type i64 = b.getI64Type();
  if (type != i64)
    value = arith::BitcastOp::create(b, i64, value);
  Value half = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
  Value low = arith::TruncIOp::create(b, b.getI32Type(), value);
  Value high = arith::TruncIOp::create(b, b.getI32Type(),
                                       arith::ShRUIOp::create(b, value, half));
  low = arith::ExtUIOp::create(b, i64, shuffleWord(b, low, offset));
  high = arith::ExtUIOp::create(b, i64, shuffleWord(b, high, offset));
  Value both =
      arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, half));
  if (type == i64)
    return both;
  return arith::BitcastOp::create(b, type, both);
}

Value sharedBuffer(KernelBuilder &b, Type element, int64_t count) {
  auto type = MemRefType::get({count}, element, AffineMap(),
                              b.getI64IntegerAttr(kShared));
  Operation *function = b.getInsertionBlock()->getParentOp();
  while (!function->hasAttr(SymbolTable::getSymbolAttrName()))
    function = function->getParentOp();
  auto module = function->getParentOfType<ModuleOp>();
  std::string base =
      (SymbolTable::getSymbolName(function).getValue() + "_shared").str();
  std::string name;
  for (int64_t i = 0; name.empty() || module.lookupSymbol(name); ++i)
    name = base + std::to_string(i);
  OpBuilder outside(function);
  memref::GlobalOp::create(outside, b.getLoc(), name,
                           b.getStringAttr("private"), type, b.getUnitAttr(),
                           /*constant=*/false,
                           b.getI64IntegerAttr(kSharedAlignment));
  return memref::GetGlobalOp::create(b, type, name);
}

Value fastDiv(KernelBuilder &b, Value value, int64_t by, int64_t limit) {
  return by == 1 ? value : divide<arith::DivUIOp>(b, value, by, limit);
}

Value fastRem(KernelBuilder &b, Value value, int64_t by, int64_t limit) {
  return by == 1 ? b.constant(0) : divide<arith::RemUIOp>(b, value, by, limit);
}

Value less(KernelBuilder &b, Value a, Value c) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, a, c);
}

void onlyIf(KernelBuilder &b, Value condition,
            llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto op = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&op.getThenRegion().front());
  body();
}

void carryIf(KernelBuilder &b, Value condition, Carried &values,
             llvm::function_ref<void(Carried &)> body) {
  if (!condition)
    return body(values);
  auto op = scf::IfOp::create(b, ValueRange(values).getTypes(), condition,
                              /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  Carried inner = values;
  b.setInsertionPointToStart(&op.getThenRegion().front());
  body(inner);
  if (!values.empty()) // otherwise the yields are there already
    scf::YieldOp::create(b, inner);
  b.setInsertionPointToStart(&op.getElseRegion().front());
  if (!values.empty())
    scf::YieldOp::create(b, values);
  values.assign(op.result_begin(), op.result_end());
}

void carryLoop(KernelBuilder &b, Value lower, Value upper, int64_t step,
               Carried &values,
               llvm::function_ref<void(Value, Carried &)> body) {
  auto op = scf::ForOp::create(b, lower, upper, b.constant(step), values);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  Carried inner = llvm::to_vector_of<Value>(op.getRegionIterArgs());
  body(op.getInductionVar(), inner);
  if (!values.empty())
    scf::YieldOp::create(b, inner);
  values.assign(op.result_begin(), op.result_end());
}

} // namespace graphc
