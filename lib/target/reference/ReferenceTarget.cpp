// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/reference/ReferenceTarget.h"

#include "lib/target/common/KernelAttrs.h"
#include "lib/target/common/LowerToLinalg.h"
#include "lib/target/common/plain/PlainContraction.h"
#include "lib/target/common/plain/ScalarKernel.h"
#include "lib/target/cpu/CpuImages.h"

using namespace mlir;

namespace graphc {

namespace {

class ReferenceTarget final : public Target {
public:
  StringRef name() const override { return "reference"; }
  size_t maxFusedOps() const override { return 1; }
  bool splitsReductions() const override { return false; }
  void prepareContraction(Operation *) const override {}
  LogicalResult lowerKernel(func::FuncOp kernel) const override {
    lowerToLinalg(kernel, /*fuses=*/false);
    expandContractions(kernel);
    return success();
  }
  KernelCost costOf(func::FuncOp kernel) const override {
    return estimateCost(kernel);
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

LogicalResult ReferenceTarget::compile(ModuleOp kernels,
                                       const CodegenOptions &options) const {
  auto module = kernels->getParentOfType<ModuleOp>();
  FailureOr<SmallVector<const CpuCodeLevel *>> levels =
      chooseCpuLevels(module, options.cpuLevels);
  if (failed(levels))
    return failure();
  // A product and a sum are two roundings, whatever the options are.
  setSeparateRounding(kernels);
  SmallVector<CpuKernel> compiled;
  SmallVector<func::FuncOp> funcs(kernels.getOps<func::FuncOp>());
  llvm::StringSet<> others = kernelsOfOthers(module);
  for (func::FuncOp kernel : funcs) {
    compiled.push_back({kernel.getSymName().str(), costOf(kernel),
                        !others.contains(kernel.getSymName())});
    if (!compiled.back().hasCode) {
      kernel.erase();
      continue;
    }
    expandContractions(kernel);
    if (failed(emitScalarKernel(kernel)))
      return failure();
  }
  if (compiled.empty()) {
    kernels.erase();
    return success();
  }
  // No code depends on the level.
  SmallVector<LevelKernels> ofLevels;
  for (const CpuCodeLevel *level : *levels)
    ofLevels.push_back({level->isa, {kernels}});
  return writeCpuImages(kernels, compiled, ofLevels, options.optLevel,
                        options.cache);
}

} // namespace

const Target &referenceTarget() {
  static const ReferenceTarget target;
  return target;
}

} // namespace graphc
