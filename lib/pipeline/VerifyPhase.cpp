// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each phase promises about the module that it leaves behind.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Pipeline.h"
#include "lib/lowering/KernelAttrs.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// Fails, with an error at the op, when an op of a graph does not belong.
using Check = LogicalResult (*)(Operation *);

LogicalResult checkParsed(Operation *op) {
  if (isa<DeviceOp>(op))
    return op->emitError("a device scope is left after phase 'parsed'");
  for (Type type : op->getResultTypes())
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return op->emitError("a shape is not static after phase 'parsed'");
  return success();
}

LogicalResult checkDifferentiated(Operation *op) {
  if (failed(checkParsed(op)))
    return failure();
  if (isa<Decomposable>(op) ||
      isa<GradientsOp, MinimizeOp, EmaOp, ApplyOp, UpdateAverageOp, AssignAddOp,
          AssignSubOp>(op))
    return op->emitError("the op is left after phase 'differentiated'");
  return success();
}

LogicalResult checkLowered(Operation *op) {
  if (isa<exec::LaunchOp, ReadOp, AssignOp, NextOp, ConstOp, StepStateOp,
          ReshapeOp, ReturnOp>(op))
    return success();
  return op->emitError("the op is left after phase 'lowered'; it has no kernel");
}

LogicalResult checkGraphs(ModuleOp module, Check check) {
  for (GraphOp graph : module.getOps<GraphOp>())
    for (Operation &op : graph.getBlock())
      if (failed(check(&op)))
        return failure();
  return success();
}

LogicalResult checkScheduled(ModuleOp module) {
  for (GraphOp graph : module.getOps<GraphOp>())
    return graph.emitError("the graph is left after phase 'scheduled'");
  return success();
}

LogicalResult checkCompiled(ModuleOp module) {
  if (module.lookupSymbol(kKernelsModule))
    return module.emitError("kernels are left after phase 'compiled'");
  for (auto image : module.getOps<exec::ImageOp>())
    if (image.getEntries().size() !=
        static_cast<size_t>(llvm::range_size(module.getOps<exec::KernelOp>())))
      return image.emitError("the code does not have one entry per kernel");
  return checkScheduled(module);
}

} // namespace

LogicalResult verifyPhase(ModuleOp module, Phase phase) {
  switch (phase) {
  case Phase::Parsed:
    return checkGraphs(module, checkParsed);
  case Phase::Differentiated:
    return checkGraphs(module, checkDifferentiated);
  case Phase::Lowered:
    return checkGraphs(module, checkLowered);
  case Phase::Scheduled:
    return checkScheduled(module);
  case Phase::Compiled:
    return checkCompiled(module);
  }
  llvm_unreachable("unknown phase");
}

} // namespace graphc
