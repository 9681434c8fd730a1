// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives each kernel its entry gk_name, which loads the buffers' addresses and
// calls the kernel.
#include "lib/target/cpu/CpuEntries.h"

#include "lib/target/common/LowerToLlvm.h"
#include "lib/target/cpu/OutlinePhilox.h"
#include "lib/target/cpu/WidenProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace graphc {
namespace {

/// void gk_name(ptr buffers, ptr scratch, i64 begin, i64 end)
void addEntry(LLVM::LLVMFuncOp kernel, StringRef name) {
  MLIRContext *context = kernel.getContext();
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(context),
      {pointer, pointer, b.getI64Type(), b.getI64Type()});
  auto entry = LLVM::LLVMFuncOp::create(b, loc, entryName(name), type);
  entry.setVisibility_(LLVM::Visibility::Protected);
  Block *block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> operands;
  for (int32_t i = 0, e = kernel.getNumArguments() - 3; i < e; ++i) {
    Value address =
        LLVM::GEPOp::create(b, loc, pointer, pointer, block->getArgument(0),
                            ArrayRef<LLVM::GEPArg>{i});
    operands.push_back(LLVM::LoadOp::create(b, loc, pointer, address));
  }
  llvm::append_range(operands, block->getArguments().drop_front());
  LLVM::CallOp::create(b, loc, kernel, operands);
  LLVM::ReturnOp::create(b, loc, ValueRange{});
  kernel.setLinkage(LLVM::Linkage::Internal);
}

/// Other parts of the kernels call it; the linker keeps one of its name.
void finishOutlined(LLVM::LLVMFuncOp func) {
  MLIRContext *context = func.getContext();
  func.setVisibility_(LLVM::Visibility::Hidden);
  if (!func.isExternal())
    func.setLinkage(LLVM::Linkage::WeakODR);
  auto none = LLVM::ModRefInfo::NoModRef;
  func.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
      context, {none, none, none, none, none, none}));
  func.setNoInline(true);
  func.setNoUnwind(true);
  func.setWillReturn(true);
}

} // namespace

std::string entryName(StringRef kernel) { return ("gk_" + kernel).str(); }

LogicalResult lowerToLlvm(ModuleOp kernels) {
  SmallVector<std::string> names, outlined;
  for (auto func : kernels.getOps<func::FuncOp>()) {
    if (isOutlined(func)) {
      outlined.push_back(func.getName().str());
      if (!func.isExternal())
        widenProducts(func);
      continue;
    }
    if (func.getNumArguments() < 3 || func.getNumResults() != 0)
      return func.emitError("kernel '")
             << func.getName()
             << "' must take its buffers, scratch, begin and end, and return "
                "nothing; write results through buffers";
    names.push_back(func.getName().str());
    widenProducts(func);
  }
  if (failed(lowerBodiesToLlvm(kernels)))
    return failure();
  for (StringRef name : names)
    addEntry(kernels.lookupSymbol<LLVM::LLVMFuncOp>(name), name);
  for (StringRef name : outlined)
    finishOutlined(kernels.lookupSymbol<LLVM::LLVMFuncOp>(name));
  return success();
}

} // namespace graphc
