// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the targets compile the module `kernels`: first those of accelerators,
// which read kernels, then that of the host, which takes them away.
#include "graphc/Choices.h"
#include "graphc/Passes.h"
#include "lib/target/Target.h"
#include "lib/target/common/KernelAttrs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_COMPILEGPUKERNELSPASS
#define GEN_PASS_DEF_COMPILEKERNELSPASS
#include "graphc/Passes.h.inc"

namespace {

/// Keeps the cache small, and says if it could not be written. For the last of
/// the passes that use it.
void finish(const CodeCache &cache, StringRef folder, Operation *op) {
  cache.prune();
  if (std::string cause = cache.failure(); !cause.empty())
    emitWarning(UnknownLoc::get(op->getContext()))
        << "code cache '" << folder << "' cannot be written: " << cause
        << "; what was compiled now will be compiled again; name a folder that "
           "can be written";
}

struct CompileGpuKernelsPass
    : impl::CompileGpuKernelsPassBase<CompileGpuKernelsPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerTargetDialects(registry);
    Base::getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    CodeCache codeCache(cache);
    CodegenOptions options(codeCache);
    options.separateRounding = canonical;
    options.gpuArchs.assign(archs.begin(), archs.end());
    options.precision =
        *exec::symbolizeGpuPrecision(choiceName(precision.getValue()));
    options.cubin = cubin;
    auto kernels = module.lookupSymbol<ModuleOp>(kKernelsModule);
    for (const Target *target : acceleratorTargets())
      if (kernels && failed(target->compile(kernels, options)))
        return signalPassFailure();
  }
};

struct CompileKernelsPass : impl::CompileKernelsPassBase<CompileKernelsPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerTargetDialects(registry);
    Base::getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = module.lookupSymbol<ModuleOp>(kKernelsModule);
    CodeCache codeCache(cache);
    CodegenOptions options(codeCache);
    options.separateRounding = canonical;
    options.optLevel = optLevel;
    options.cpuLevels.assign(levels.begin(), levels.end());
    if (kernels && failed(hostTarget(module).compile(kernels, options)))
      return signalPassFailure();
    finish(codeCache, cache, module);
  }
};

} // namespace
} // namespace graphc
