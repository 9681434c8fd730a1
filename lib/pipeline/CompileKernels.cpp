// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the module `kernels` by machine code: one image per level of CPU,
// and one exec.kernel with the costs of each kernel.
#include "dialects/exec/Exec.h"
#include "graphc/Passes.h"
#include "lib/codegen/CompileCpu.h"
#include "lib/codegen/FusedKernel.h"
#include "lib/lowering/EmitContraction.h"
#include "lib/lowering/KernelAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_COMPILEKERNELSPASS
#include "graphc/Passes.h.inc"

namespace {

/// A level of CPU, and the registers that its micro-kernels may use.
struct Level {
  StringLiteral isa;
  const RegisterTile &tile;
};
const Level kLevels[] = {{"x86-64-v3", kTileX86V3}, {"x86-64-v4", kTileX86V4}};

struct Cost {
  double flops = 0, bytes = 0;
};

/// One operation per scalar op and element; each buffer once.
Cost estimateCost(func::FuncOp kernel) {
  Cost cost;
  if (findContraction(kernel)) {
    ContractionPlan plan = planContraction(kernel);
    cost.flops = plan.flops;
  }
  kernel.walk([&](linalg::GenericOp generic) {
    double points = 1;
    for (int64_t range : generic.getStaticLoopRanges())
      points *= static_cast<double>(range);
    double ops = static_cast<double>(
        std::max<size_t>(generic.getBody()->getOperations().size(), 2) - 1);
    cost.flops += points * ops;
  });
  auto add = [&](Type type) {
    cost.bytes +=
        static_cast<double>(exec::tensorBytes(cast<RankedTensorType>(type)));
  };
  llvm::for_each(kernel.getArgumentTypes(), add);
  llvm::for_each(kernel.getResultTypes(), add);
  return cost;
}

struct CompileKernelsPass : impl::CompileKernelsPassBase<CompileKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = module.lookupSymbol<ModuleOp>(kKernelsModule);
    if (kernels && failed(compileKernels(module, kernels)))
      return signalPassFailure();
  }

  LogicalResult compileKernels(ModuleOp module, ModuleOp kernels);
};

LogicalResult CompileKernelsPass::compileKernels(ModuleOp module,
                                                 ModuleOp kernels) {
  SmallVector<std::string> names;
  SmallVector<Cost> costs;
  for (auto kernel :
       llvm::make_early_inc_range(kernels.getOps<func::FuncOp>())) {
    names.push_back(kernel.getSymName().str());
    costs.push_back(estimateCost(kernel));
    // Fused kernels are the same for all levels.
    if (!findContraction(kernel) && failed(emitFusedKernel(kernel)))
      return failure();
  }
  // Constants alone need no code.
  if (names.empty()) {
    kernels.erase();
    return success();
  }
  SmallVector<OwningOpRef<ModuleOp>> owned;
  SmallVector<CpuTarget> targets;
  for (const Level &level : kLevels) {
    owned.push_back(kernels.clone());
    for (auto kernel :
         llvm::make_early_inc_range(owned.back()->getOps<func::FuncOp>()))
      if (kernel.getNumResults() && findContraction(kernel) &&
          failed(emitContraction(kernel, level.tile)))
        return failure();
    targets.push_back({level.isa, *owned.back()});
  }
  SmallVector<int64_t> units, scratch;
  for (StringRef name : names) {
    auto kernel = owned.front()->lookupSymbol<func::FuncOp>(name);
    units.push_back(kernel->getAttrOfType<IntegerAttr>(kUnits).getInt());
    scratch.push_back(kernel->getAttrOfType<IntegerAttr>(kScratch).getInt());
  }
  SmallVector<StringRef> order(names.begin(), names.end());
  FailureOr<SmallVector<CpuImage>> images = compileCpu(targets, order);
  if (failed(images))
    return failure();

  OpBuilder b(kernels);
  for (auto [i, name] : llvm::enumerate(names))
    exec::KernelOp::create(b, kernels.getLoc(), name, units[i], scratch[i],
                           APFloat(costs[i].flops), APFloat(costs[i].bytes));
  for (const CpuImage &image : *images) {
    SmallVector<int64_t> entries(image.entries.begin(), image.entries.end());
    auto type = RankedTensorType::get({static_cast<int64_t>(image.code.size())},
                                      b.getI8Type());
    exec::ImageOp::create(
        b, kernels.getLoc(), image.isa, entries,
        DenseElementsAttr::getFromRawBuffer(type, image.code));
  }
  kernels.erase();
  return success();
}

} // namespace
} // namespace graphc
