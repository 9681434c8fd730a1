// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cuda/UnfusedEpilogue.h"

#include "lib/target/common/KernelAttrs.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace graphc {

namespace {

/// Writes the function of the ops that are left.
class EpilogueWriter {
public:
  EpilogueWriter(func::FuncOp kernel, linalg::GenericOp ops,
                 const GpuResults &results)
      : kernel(kernel), ops(ops), results(results),
        ret(cast<func::ReturnOp>(kernel.getBody().front().getTerminator())) {}

  UnfusedEpilogue write();

private:
  void findOperands();
  func::FuncOp makeFunction(OpBuilder &b);
  Operation *copyOps(OpBuilder &b, func::FuncOp code);
  std::optional<unsigned> operandAt(int64_t buffer) const {
    auto found = llvm::find(buffers, buffer);
    if (found == buffers.end())
      return std::nullopt;
    return found - buffers.begin();
  }

  func::FuncOp kernel;
  linalg::GenericOp ops;
  const GpuResults &results;
  func::ReturnOp ret;
  SmallVector<unsigned> written; ///< results of the kernel
  SmallVector<Value> operands;
  SmallVector<int64_t> buffers; ///< of the operands
};

void EpilogueWriter::findOperands() {
  for (Value operand : ops.getInputs()) {
    auto argument = dyn_cast<BlockArgument>(operand);
    operands.push_back(operand);
    buffers.push_back(argument ? argument.getArgNumber() : results.fromLibrary);
  }
  // What is overwritten without being read.
  for (unsigned i : written) {
    int64_t buffer = results.buffers[i];
    if (!overwrittenArgument(kernel, i) || operandAt(buffer))
      continue;
    operands.push_back(kernel.getArgument(buffer));
    buffers.push_back(buffer);
  }
}

func::FuncOp EpilogueWriter::makeFunction(OpBuilder &b) {
  SmallVector<Type> types;
  for (unsigned i : written)
    types.push_back(ret.getOperand(i).getType());
  auto code = func::FuncOp::create(
      b, ops.getLoc(), (kernel.getSymName() + "_rest").str(),
      b.getFunctionType(ValueRange(operands).getTypes(), types));
  code->remove();
  SymbolTable(kernel->getParentOp()).insert(code, kernel->getIterator());
  for (auto [position, i] : llvm::enumerate(written))
    if (std::optional<unsigned> over = operandAt(results.buffers[i]))
      setOverwrittenArgument(code, position, *over);
  return code;
}

Operation *EpilogueWriter::copyOps(OpBuilder &b, func::FuncOp code) {
  IRMapping mapping;
  mapping.map(operands, code.getArguments());
  llvm::SetVector<Value> captured(ops.getDpsInits().begin(),
                                  ops.getDpsInits().end());
  getUsedValuesDefinedAbove(ops.getRegion(), captured);
  for (Value value : captured) // empty tensors and constants
    b.clone(*value.getDefiningOp(), mapping);
  return b.clone(*ops, mapping);
}

UnfusedEpilogue EpilogueWriter::write() {
  for (unsigned i = 0; i < ret.getNumOperands(); ++i)
    if (results.done != i)
      written.push_back(i);
  if (written.empty())
    return {};
  findOperands();
  OpBuilder b(kernel);
  func::FuncOp code = makeFunction(b);
  b.setInsertionPointToStart(code.addEntryBlock());
  Operation *copy = copyOps(b, code);
  SmallVector<Value> returned;
  for (unsigned i : written)
    returned.push_back(
        copy->getResult(cast<OpResult>(ret.getOperand(i)).getResultNumber()));
  func::ReturnOp::create(b, ops.getLoc(), returned);
  UnfusedEpilogue rest{code, buffers};
  for (unsigned i : written)
    if (!operandAt(results.buffers[i]))
      rest.buffers.push_back(results.buffers[i]);
  return rest;
}

} // namespace

UnfusedEpilogue makeUnfusedEpilogue(func::FuncOp kernel, linalg::GenericOp ops,
                                    const GpuResults &results) {
  return EpilogueWriter(kernel, ops, results).write();
}

} // namespace graphc
