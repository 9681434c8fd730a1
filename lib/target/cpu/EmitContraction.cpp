// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a contraction op and the linalg.generic after it to a packed
// micro-kernel.
#include "lib/target/cpu/EmitContraction.h"

#include "dialects/tfir/Tfir.h"
#include "lib/target/common/ContractionSpec.h"
#include "lib/target/common/KernelAttrs.h"
#include "lib/target/cpu/contraction/Conv2DFilterKernel.h"
#include "lib/target/cpu/contraction/MatmulKernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

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
  return llvm::TypeSwitch<Operation *, ContractionPlan>(findContraction(kernel))
      .Case([](MatMulOp op) { return planMatmul(specOf(op)); })
      .Case([](Conv2DOp op) { return planConv2D(specOf(op)); })
      .Case([](Conv2DBackpropInputOp op) {
        return planConv2DBackpropInput(specOf(op), /*filterPrepared=*/false);
      })
      .Case([](Conv2DBackpropFilterOp op) {
        return planConv2DBackpropFilter(specOf(op));
      })
      .Case([](Conv2DPreparedBackpropInputOp op) {
        return planConv2DBackpropInput(specOf(op), /*filterPrepared=*/true);
      })
      .Case([](Conv2DFilterPartialsOp op) {
        return planConv2DBackpropFilter(specOf(op));
      })
      .Case([](PrepareFilterOp op) { return planPrepareFilter(specOf(op)); })
      .Default([](Operation *) -> ContractionPlan {
        llvm_unreachable("not a contraction");
      });
}

FailureOr<func::FuncOp> emitContraction(func::FuncOp kernel,
                                        const RegisterTile &tile) {
  Operation *root = findContraction(kernel);
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
  llvm::TypeSwitch<Operation *>(root)
      .Case([&](MatMulOp op) {
        emitMatmul(b, loc, specOf(op), x, y, epilogue, k.scratch, k.begin,
                   k.end, tile);
      })
      .Case([&](Conv2DOp op) {
        emitConv2D(b, loc, specOf(op), x, y, epilogue, k.scratch, k.begin,
                   k.end, tile);
      })
      .Case([&](Conv2DPreparedBackpropInputOp op) {
        emitConv2DBackpropInput(b, loc, specOf(op), y, x,
                                /*filterPrepared=*/true, epilogue, k.scratch,
                                k.begin, k.end, tile);
      })
      .Case([&](Conv2DFilterPartialsOp op) {
        emitConv2DBackpropFilter(b, loc, specOf(op), x, y, epilogue.outputs[0],
                                 k.scratch, k.begin, k.end, tile);
      })
      .Case([&](PrepareFilterOp op) {
        emitPrepareFilter(b, loc, specOf(op), x, epilogue.outputs[0], k.begin,
                          k.end);
      });
  b.setInsertionPointToEnd(&k.func.getBody().front());
  func::ReturnOp::create(b, loc);
  kernel.erase();
  return k.func;
}

} // namespace graphc
