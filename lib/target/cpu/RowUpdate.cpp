// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unit holds some columns, and goes through all updates in their order: so
// those of equal indices are taken in this order, however the units are divided
// among threads.
#include "lib/target/cpu/RowUpdate.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/gather/UpdatesRows.h"
#include "lib/target/common/KernelAttrs.h"
#include "lib/target/common/KernelBuilder.h"
#include "lib/target/common/fused/TensorKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace graphc {

namespace {

/// Columns of a unit are a multiple of this: 64 bytes of floats.
constexpr int64_t kColumnGrain = 16;

RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

class RowUpdate {
public:
  explicit RowUpdate(func::FuncOp kernel)
      : kernel(kernel), block(kernel.getBody().front()),
        op(findRowUpdate(kernel)), b(op->getLoc(), OpBuilder(kernel)) {}

  void run();

private:
  Value addBuffer(Type tensor);
  Value bufferOf(unsigned operand) {
    return buffers[cast<BlockArgument>(op->getOperand(operand)).getArgNumber()];
  }
  void chooseUnits();
  void copyRow(Value row, Value begin, Value end);
  void updateRow(Value i, Value row, Value begin, Value end);
  void emitUnit(Value unit);

  func::FuncOp kernel;
  Block &block;
  Operation *op;
  KernelBuilder b;
  SmallVector<Value> buffers; ///< of the tensors
  Value result;
  int64_t rows = 0, width = 0, updates = 0;
  int64_t columns = 1, units = 1; ///< columns of a unit
};

Value RowUpdate::addBuffer(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return block.addArgument(
      MemRefType::get({type.getNumElements()}, type.getElementType()),
      op->getLoc());
}

void RowUpdate::chooseUnits() {
  RankedTensorType type = typeOf(op->getOperand(0));
  rows = type.getDimSize(0);
  width = rows ? type.getNumElements() / rows : 0;
  updates = typeOf(op->getOperand(1)).getNumElements();
  columns = std::max<int64_t>(width, 1);
  if (updates * width <= kSerialElements)
    return;
  int64_t least = llvm::divideCeil(kUnitElements, updates);
  columns = std::min<int64_t>(columns, llvm::alignTo<kColumnGrain>(least));
  units = llvm::divideCeil(width, columns);
}

/// Columns from `begin` to `end` of a row of the old tensor.
void RowUpdate::copyRow(Value row, Value begin, Value end) {
  Value first = b.mul(row, width);
  b.loop(begin, end, 1, [&](Value column) {
    Value place = b.add(first, column);
    Value value = memref::LoadOp::create(b, bufferOf(0), place);
    memref::StoreOp::create(b, value, result, place);
  });
}

/// Combines a row, which the result has, with update `i`.
void RowUpdate::updateRow(Value i, Value row, Value begin, Value end) {
  Value source = b.mul(i, width), target = b.mul(row, width);
  b.loop(begin, end, 1, [&](Value column) {
    Value place = b.add(target, column);
    Value update =
        memref::LoadOp::create(b, bufferOf(2), b.add(source, column));
    Value old = tfir::replacesRows(op)
                    ? update
                    : Value(memref::LoadOp::create(b, result, place));
    Value value = tfir::combineElements(op, b, b.getLoc(), old, update);
    memref::StoreOp::create(b, value, result, place);
  });
}

void RowUpdate::emitUnit(Value unit) {
  Value begin = b.mul(unit, columns);
  Value end = b.min(b.add(begin, columns), b.constant(width));
  Value old = bufferOf(0), zero = b.constant(0);
  if (result != old)
    b.loop(zero, b.constant(rows), 1,
           [&](Value row) { copyRow(row, begin, end); });
  b.loop(zero, b.constant(updates), 1, [&](Value i) {
    Value row = memref::LoadOp::create(b, bufferOf(1), i);
    row = arith::IndexCastOp::create(b, b.getIndexType(), row);
    // A negative number is a huge unsigned one.
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row,
                                         b.constant(rows));
    auto guarded = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&guarded.getThenRegion().front());
    updateRow(i, row, begin, end);
  });
}

void RowUpdate::run() {
  chooseUnits();
  unsigned tensors = block.getNumArguments();
  for (unsigned i = 0; i < tensors; ++i)
    buffers.push_back(addBuffer(block.getArgument(i).getType()));
  IntegerAttr over = overwrittenArgument(kernel, 0);
  result =
      over ? buffers[over.getInt()] : addBuffer(op->getResult(0).getType());
  unsigned bufferEnd = block.getNumArguments() - tensors;
  block.addArgument(MemRefType::get({0}, b.getI8Type()), op->getLoc());
  Value first = block.addArgument(b.getIndexType(), op->getLoc());
  Value last = block.addArgument(b.getIndexType(), op->getLoc());
  Operation *ret = block.getTerminator();
  b.setInsertionPoint(ret);
  if (width > 0)
    b.loop(first, last, 1, [&](Value unit) { emitUnit(unit); });

  ret->setOperands({});
  op->erase();
  block.eraseArguments(0, tensors);
  kernel.setType(b.getFunctionType(block.getArgumentTypes(), {}));
  kernel.removeResAttrsAttr();
  kernel.removeArgAttrsAttr();
  for (unsigned i = 0; i <= bufferEnd; ++i) {
    kernel.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
    kernel.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(64));
  }
  setKernelTiles(kernel, {units, /*scratch=*/0});
}

} // namespace

Operation *findRowUpdate(func::FuncOp kernel) {
  if (kernel.getBody().empty() || kernel.getBody().front().empty())
    return nullptr;
  Operation &op = kernel.getBody().front().front();
  return op.hasTrait<tfir::UpdatesRows>() ? &op : nullptr;
}

KernelCost rowUpdateCost(Operation *update) {
  KernelCost cost;
  auto bytes = [&](unsigned operand) {
    return static_cast<double>(
        exec::tensorBytes(typeOf(update->getOperand(operand))));
  };
  cost.bytes = bytes(1) + (tfir::replacesRows(update) ? 2 : 3) * bytes(2);
  return cost;
}

void emitRowUpdate(func::FuncOp kernel) { RowUpdate(kernel).run(); }

} // namespace graphc
