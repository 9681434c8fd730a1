// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a contraction op and the linalg.generic after it to a packed
// micro-kernel.
#include "lib/target/cpu/EmitContraction.h"

#include "dialects/tfir/MatmulBatch.h"
#include "dialects/tfir/Tfir.h"
#include "lib/target/common/FindContraction.h"
#include "lib/target/common/KernelAttrs.h"
#include "lib/target/cpu/contraction/Conv2DFilterKernel.h"
#include "lib/target/cpu/contraction/MatmulKernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// The buffer of a tensor; a bool takes a byte.
MemRefType bufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(type.getContext(), 8);
  return MemRefType::get(tensor.getShape(), element);
}

/// The function on buffers that takes the place of a kernel on tensors.
struct BufferKernel {
  func::FuncOp func;
  SmallVector<Value> arguments; ///< of the kernel's arguments
  SmallVector<Value> results;   ///< of the kernel's results
  Value scratch, begin, end;

  BufferKernel(func::FuncOp kernel, const ContractionPlan &plan);
};

BufferKernel::BufferKernel(func::FuncOp kernel, const ContractionPlan &plan) {
  MLIRContext *context = kernel.getContext();
  OpBuilder b(kernel);
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes())
    types.push_back(bufferType(type));
  for (auto [i, type] : llvm::enumerate(kernel.getResultTypes()))
    if (!overwrittenArgument(kernel, i))
      types.push_back(bufferType(type));
  unsigned buffers = types.size();
  types.push_back(MemRefType::get({std::max<int64_t>(plan.scratchBytes, 64)},
                                  b.getI8Type()));
  types.push_back(b.getIndexType());
  types.push_back(b.getIndexType());
  func = func::FuncOp::create(b, kernel.getLoc(), kernel.getSymName(),
                              b.getFunctionType(types, {}));
  for (unsigned i = 0; i <= buffers; ++i) {
    func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                    UnitAttr::get(context));
    func.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                    b.getI64IntegerAttr(64));
  }
  setKernelTiles(func, {plan.units, plan.scratchBytes});
  Block *body = func.addEntryBlock();
  arguments.append(body->args_begin(),
                   body->args_begin() + kernel.getNumArguments());
  unsigned next = kernel.getNumArguments();
  for (unsigned i = 0; i < kernel.getNumResults(); ++i) {
    IntegerAttr over = overwrittenArgument(kernel, i);
    results.push_back(over ? arguments[over.getInt()]
                           : Value(body->getArgument(next++)));
  }
  scratch = body->getArgument(buffers);
  begin = body->getArgument(buffers + 1);
  end = body->getArgument(buffers + 2);
}

} // namespace

ContractionPlan planContraction(func::FuncOp kernel) {
  ContractionInterface root = findContraction(kernel);
  ContractionSpec spec = root.getSpec();
  switch (spec.kind) {
  case ContractionKind::Matmul:
    return planMatmul(spec.matmul, batchOf(root));
  case ContractionKind::Conv2D:
    return planConv2D(spec.conv);
  case ContractionKind::Conv2DBackpropInput:
    return planConv2DBackpropInput(spec.conv, spec.filterPrepared);
  case ContractionKind::Conv2DBackpropFilter:
    return planConv2DBackpropFilter(spec.conv);
  case ContractionKind::PrepareFilter:
    return planPrepareFilter(spec.conv);
  }
  llvm_unreachable("unknown kind of contraction");
}

FailureOr<func::FuncOp> emitContraction(func::FuncOp kernel,
                                        const RegisterTile &tile) {
  ContractionInterface root = findContraction(kernel);
  BufferKernel k(kernel, planContraction(kernel));
  auto bufferOf = [&](Value value) {
    return k.arguments[cast<BlockArgument>(value).getArgNumber()];
  };
  // What happens to the result, and where it goes.
  Epilogue epilogue;
  auto ret = cast<func::ReturnOp>(kernel.getBody().front().getTerminator());
  for (auto generic : kernel.getOps<linalg::GenericOp>())
    epilogue.body = generic;
  if (epilogue.body) {
    for (auto [i, input] : llvm::enumerate(epilogue.body.getInputs())) {
      bool isRoot = input.getDefiningOp() == root;
      if (isRoot)
        epilogue.accumulator = i;
      epilogue.inputs.push_back(isRoot ? Value() : bufferOf(input));
    }
    if (!canFuseEpilogue(epilogue.body, epilogue.accumulator)) {
      k.func.erase();
      return root->emitError("what happens to the result of kernel '")
             << kernel.getSymName() << "' cannot be done in registers";
    }
    epilogue.outputs.resize(epilogue.body.getNumResults());
    for (auto [value, buffer] : llvm::zip(ret.getOperands(), k.results))
      epilogue.outputs[cast<OpResult>(value).getResultNumber()] = buffer;
  } else {
    epilogue.outputs.push_back(k.results[0]);
  }
  Location loc = root->getLoc();
  OpBuilder b(k.func.getContext());
  b.setInsertionPointToStart(&k.func.getBody().front());
  Value x = bufferOf(root->getOperand(0));
  Value y =
      root->getNumOperands() > 1 ? bufferOf(root->getOperand(1)) : Value();
  ContractionSpec spec = root.getSpec();
  switch (spec.kind) {
  case ContractionKind::Matmul:
    emitMatmul(b, loc, spec.matmul, x, y, epilogue, k.scratch, k.begin, k.end,
               tile, batchOf(root));
    break;
  case ContractionKind::Conv2D:
    emitConv2D(b, loc, spec.conv, x, y, epilogue, k.scratch, k.begin, k.end,
               tile);
    break;
  case ContractionKind::Conv2DBackpropInput:
    emitConv2DBackpropInput(b, loc, spec.conv, y, x, spec.filterPrepared,
                            epilogue, k.scratch, k.begin, k.end, tile);
    break;
  case ContractionKind::Conv2DBackpropFilter:
    if (!spec.partials) {
      k.func.erase();
      return root->emitError("has a kernel only as partial sums; run "
                             "tfir-prepare-contractions before the ops are "
                             "grouped");
    }
    emitConv2DBackpropFilter(b, loc, spec.conv, x, y, epilogue.outputs[0],
                             k.scratch, k.begin, k.end, tile);
    break;
  case ContractionKind::PrepareFilter:
    emitPrepareFilter(b, loc, spec.conv, x, epilogue.outputs[0], k.begin,
                      k.end);
    break;
  }
  b.setInsertionPointToEnd(&k.func.getBody().front());
  func::ReturnOp::create(b, loc);
  kernel.erase();
  return k.func;
}

} // namespace graphc
