// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowers each function of `kernels`, of tfir ops, as the target of the graphs
// that launch it does. A kernel that nothing launches is one of the host.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/target/Target.h"
#include "lib/target/common/KernelAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "graphc/Passes.h.inc"

namespace {

struct LowerKernelsPass : impl::LowerKernelsPassBase<LowerKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = module.lookupSymbol<ModuleOp>(kKernelsModule);
    if (!kernels)
      return;
    llvm::StringMap<const Target *> targets;
    for (auto graph : module.getOps<GraphOp>()) {
      const Target &target = targetOf(graph);
      for (auto launch : graph.getBlock().getOps<exec::LaunchOp>())
        targets.try_emplace(launch.getKernel(), &target);
    }
    for (auto func : kernels.getOps<func::FuncOp>()) {
      const Target *target = targets.lookup(func.getSymName());
      if (failed((target ? *target : hostTarget(module)).lowerKernel(func)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace graphc
