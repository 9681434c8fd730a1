// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cpu/CpuTarget.h"

#include "lib/target/common/FindContraction.h"
#include "lib/target/common/KernelAttrs.h"
#include "lib/target/common/LowerToLinalg.h"
#include "lib/target/common/plain/ControlKernel.h"
#include "lib/target/common/plain/PlainContraction.h"
#include "lib/target/common/plain/ScalarKernel.h"
#include "lib/target/cpu/CpuImages.h"
#include "lib/target/cpu/EmitContraction.h"
#include "lib/target/cpu/PrepareGradients.h"
#include "lib/target/cpu/RowUpdate.h"
#include "lib/target/cpu/fused/FusedKernel.h"

using namespace mlir;

namespace graphc {

namespace {

class CpuTarget final : public Target {
public:
  StringRef name() const override { return "cpu"; }
  size_t maxFusedOps() const override { return kMaxFusedOps; }
  bool splitsReductions() const override { return true; }
  void prepareContraction(Operation *op) const override { prepareGradient(op); }
  LogicalResult lowerKernel(func::FuncOp kernel) const override {
    // An update of rows is emitted as it is.
    if (findRowUpdate(kernel))
      return success();
    lowerToLinalg(kernel);
    // There are micro-kernels for kernels, not for parts of them.
    if (isControlKernel(kernel))
      expandContractions(kernel);
    return success();
  }
  KernelCost costOf(func::FuncOp kernel) const override {
    Operation *update = findRowUpdate(kernel);
    return update ? rowUpdateCost(update) : estimateCost(kernel);
  }
  DeviceScratch scratchOf(exec::ProgramOp) const override { return {}; }
  StringRef executableName() const override { return "cpu"; }
  std::vector<uint8_t> writeExecutable(ModuleOp module) const override {
    return writeCpuExecutable(module);
  }
  LogicalResult compile(ModuleOp kernels,
                        const CodegenOptions &options) const override;
  void registerDialects(DialectRegistry &registry) const override {
    registerScalarKernelDialects(registry);
  }
};

LogicalResult CpuTarget::compile(ModuleOp kernels,
                                 const CodegenOptions &options) const {
  if (options.separateRounding)
    setSeparateRounding(kernels);
  auto module = kernels->getParentOfType<ModuleOp>();
  FailureOr<SmallVector<const CpuCodeLevel *>> levels =
      chooseCpuLevels(module, options.cpuLevels);
  if (failed(levels))
    return failure();
  llvm::StringSet<> others = kernelsOfOthers(module);
  llvm::StringSet<> firstValues = kernelsOfFirstValues(module);
  SmallVector<CpuKernel> compiled;
  for (auto kernel :
       llvm::make_early_inc_range(kernels.getOps<func::FuncOp>())) {
    if (firstValues.contains(kernel.getSymName()))
      setRunsOnce(kernel);
    compiled.push_back({kernel.getSymName().str(), costOf(kernel),
                        !others.contains(kernel.getSymName())});
    if (!compiled.back().hasCode)
      kernel.erase();
    else if (findRowUpdate(kernel))
      emitRowUpdate(kernel);
    // Fused kernels, loops and choices are the same for all levels.
    else if (isControlKernel(kernel)
                 ? failed(emitScalarKernel(kernel))
                 : !findContraction(kernel) && failed(emitFusedKernel(kernel)))
      return failure();
  }
  // Constants alone need no code.
  if (compiled.empty()) {
    kernels.erase();
    return success();
  }
  SmallVector<func::FuncOp> contractions;
  for (auto kernel : kernels.getOps<func::FuncOp>())
    if (kernel.getNumResults() && findContraction(kernel))
      contractions.push_back(kernel);
  SmallVector<OwningOpRef<ModuleOp>> owned;
  SmallVector<LevelKernels> ofLevels;
  for (const CpuCodeLevel *level : *levels) {
    owned.push_back(cast<ModuleOp>(kernels->cloneWithoutRegions()));
    owned.back()->getRegion().emplaceBlock();
    for (func::FuncOp kernel : contractions) {
      auto own = cast<func::FuncOp>(kernel->clone());
      owned.back()->push_back(own);
      if (failed(emitContraction(own, level->tile)))
        return failure();
    }
    ofLevels.push_back({level->isa, {kernels, *owned.back()}});
  }
  for (func::FuncOp kernel : contractions)
    kernel.erase();
  return writeCpuImages(kernels, compiled, ofLevels, options.optLevel,
                        options.cache);
}

} // namespace

const Target &cpuTarget() {
  static const CpuTarget target;
  return target;
}

} // namespace graphc
