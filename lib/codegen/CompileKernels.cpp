// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the module `kernels` by machine code: one image per level of CPU,
// and one exec.kernel with the costs of each kernel.
#include "dialects/exec/Exec.h"
#include "graphc/Passes.h"
#include "lib/codegen/CompileCpu.h"
#include "lib/codegen/LowerToLlvm.h"
#include "lib/codegen/fused/FusedKernel.h"
#include "lib/lowering/DeviceTarget.h"
#include "lib/lowering/EmitContraction.h"
#include "lib/lowering/KernelAttrs.h"
#include "lib/lowering/KernelCost.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSet.h"

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

struct CompileKernelsPass : impl::CompileKernelsPassBase<CompileKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = module.lookupSymbol<ModuleOp>(kKernelsModule);
    if (kernels && canonical)
      kernels->setAttr(kSeparateRounding, UnitAttr::get(&getContext()));
    if (kernels && failed(compileKernels(module, kernels)))
      return signalPassFailure();
  }

  LogicalResult compileKernels(ModuleOp module, ModuleOp kernels);
  FailureOr<SmallVector<const Level *>> chooseLevels(ModuleOp module);
};

/// The kernels that programs on the host dispatch.
llvm::StringSet<> kernelsOfHost(ModuleOp module) {
  llvm::StringSet<> names;
  for (auto program : module.getOps<exec::ProgramOp>())
    if (!isForAccelerator(program))
      for (auto dispatch : program.getBlock().getOps<exec::DispatchOp>())
        names.insert(dispatch.getKernel());
  return names;
}

/// In place of the offset of a kernel that an image has no code for.
constexpr int64_t kNoCode = -1;

/// The levels that are asked for, in order; all if none is.
FailureOr<SmallVector<const Level *>>
CompileKernelsPass::chooseLevels(ModuleOp module) {
  SmallVector<const Level *> chosen;
  for (const Level &level : kLevels)
    if (levels.empty() || llvm::is_contained(levels, level.isa))
      chosen.push_back(&level);
  for (const std::string &name : levels)
    if (llvm::none_of(kLevels,
                      [&](const Level &level) { return level.isa == name; }))
      return module.emitError("'")
             << name
             << "' is no level of CPU; kernels are made for x86-64-v3 and "
                "x86-64-v4";
  return chosen;
}

LogicalResult CompileKernelsPass::compileKernels(ModuleOp module,
                                                 ModuleOp kernels) {
  FailureOr<SmallVector<const Level *>> chosen = chooseLevels(module);
  if (failed(chosen))
    return failure();
  SmallVector<std::string> names;
  SmallVector<KernelCost> costs;
  llvm::StringSet<> compiled = kernelsOfHost(module);
  for (auto kernel :
       llvm::make_early_inc_range(kernels.getOps<func::FuncOp>())) {
    names.push_back(kernel.getSymName().str());
    costs.push_back(estimateCost(kernel));
    if (!compiled.contains(names.back()))
      kernel.erase();
    // Fused kernels are the same for all levels.
    else if (!findContraction(kernel) && failed(emitFusedKernel(kernel)))
      return failure();
  }
  // Constants alone need no code.
  if (names.empty()) {
    kernels.erase();
    return success();
  }
  SmallVector<OwningOpRef<ModuleOp>> owned;
  SmallVector<CpuTarget> targets;
  for (const Level *level : *chosen) {
    owned.push_back(kernels.clone());
    for (auto kernel :
         llvm::make_early_inc_range(owned.back()->getOps<func::FuncOp>()))
      if (kernel.getNumResults() && findContraction(kernel) &&
          failed(emitContraction(kernel, level->tile)))
        return failure();
    targets.push_back({level->isa, *owned.back()});
  }
  SmallVector<int64_t> units, scratch;
  SmallVector<StringRef> order;
  for (StringRef name : names) {
    if (!compiled.contains(name)) {
      units.push_back(1);
      scratch.push_back(0);
      continue;
    }
    order.push_back(name);
    auto kernel = owned.front()->lookupSymbol<func::FuncOp>(name);
    units.push_back(kernel->getAttrOfType<IntegerAttr>(kUnits).getInt());
    scratch.push_back(kernel->getAttrOfType<IntegerAttr>(kScratch).getInt());
  }
  FailureOr<SmallVector<CpuImage>> images = compileCpu(targets, order);
  if (failed(images))
    return failure();

  OpBuilder b(kernels);
  for (auto [i, name] : llvm::enumerate(names))
    exec::KernelOp::create(b, kernels.getLoc(), name, units[i], scratch[i],
                           APFloat(costs[i].flops), APFloat(costs[i].bytes));
  for (const CpuImage &image : *images) {
    SmallVector<int64_t> entries;
    size_t next = 0;
    for (StringRef name : names)
      entries.push_back(compiled.contains(name)
                            ? static_cast<int64_t>(image.entries[next++])
                            : kNoCode);
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
