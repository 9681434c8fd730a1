// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies the invariants of the module after each phase.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/Verify.h"
#include "dialects/tfir/ops/control/RecomputeAttr.h"
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "graphc/Pipeline.h"
#include "lib/lowering/Views.h"
#include "lib/pipeline/VerifyAllReduces.h"
#include "lib/pipeline/VerifyTransfers.h"
#include "lib/target/Target.h"
#include "lib/target/common/KernelAttrs.h"
#include "runtime/base/Suggest.h"
#include "runtime/format/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

/// Fails, with an error at the op, when an op of a graph does not belong.
using Check = function_ref<LogicalResult(Operation *)>;

/// `what` the type is of, for messages.
LogicalResult checkType(Location loc, const Twine &what, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError(loc) << what << " has the type " << type
                          << ", expected a ranked tensor";
  if (!tensor.hasStaticShape())
    return emitError(loc) << what << " has the type " << type
                          << " after phase 'parsed', whose '?' has no size";
  uint64_t bytes = 1;
  bool isLarge = false;
  for (int64_t dim : tensor.getShape())
    isLarge |= __builtin_mul_overflow(bytes, dim, &bytes);
  if (tensor.getElementType().isIntOrFloat())
    isLarge |= __builtin_mul_overflow(
        bytes, (tensor.getElementTypeBitWidth() + 7) / 8, &bytes);
  if (isLarge || bytes > runtime::kMaxBytes)
    return emitError(loc) << what << " has the type " << type
                          << "; tensors of more than 1 TiB cannot be compiled";
  return success();
}

LogicalResult checkNotOwn(Operation *op) {
  if (auto graph = dyn_cast<GraphOp>(op); graph && graph.getOnHost())
    return op->emitOpError() << "is marked 'on_host', which only the compiler "
                                "does; remove it, or name the phase that wrote "
                                "it with --start-at";
  StringRef own = isa_and_present<TfirDialect>(op->getDialect())
                      ? findCompilerAttr(op)
                      : StringRef();
  if (own.empty())
    return success();
  return op->emitOpError()
         << "has the attribute '" << own
         << "', which only the compiler writes; remove it, or name the phase "
            "that wrote it with --start-at";
}

/// A mirror is on another device what its original is.
LogicalResult checkMirror(VariableOp mirror) {
  FlatSymbolRefAttr attr = mirror.getMirrorOfAttr();
  if (!attr)
    return success();
  auto original =
      SymbolTable::lookupNearestSymbolFrom<VariableOp>(mirror, attr);
  if (!original)
    return mirror.emitOpError() << "is a mirror of " << attr
                                << ", which is no variable; name one, or "
                                   "remove the attribute 'mirror_of'";
  if (original.getMirrorOf())
    return mirror.emitOpError()
           << "is a mirror of " << attr
           << ", which is a mirror itself; name the original";
  if (original.getTensorType() != mirror.getTensorType())
    return mirror.emitOpError()
           << "has the type " << mirror.getTensorType() << ", but its original "
           << attr << " has the type " << original.getTensorType()
           << "; give both one type";
  DeviceAttr device = mirror.getAssignedDevice();
  if (device && device == original.getAssignedDevice())
    return mirror.emitOpError() << "is on the device \"" << device.getText()
                                << "\", as its original " << attr
                                << " is; a mirror is on another one";
  return success();
}

/// An attribute that an op does not know is a misspelt one.
LogicalResult checkAttributes(Operation *op) {
  if (!isa_and_present<TfirDialect>(op->getDialect()))
    return success();
  for (auto [attr, name] :
       {std::pair(getRequestedDeviceAttr(op), "device"),
        std::pair(getAssignedDeviceAttr(op), "assigned_device")})
    if (attr && !isa<DeviceAttr>(attr))
      return op->emitOpError()
             << "has " << attr << " as '" << name
             << "', expected a device such as #tfir.device<\"/device:GPU:0\">";
  for (NamedAttribute attr : op->getDiscardableAttrs()) {
    if (isNodeAttr(attr.getName()) || isPipelineAttr(attr.getName()) ||
        isRecomputeAttr(attr.getName()))
      continue;
    std::vector<std::string> known;
    for (StringRef name : sourceNodeAttrNames())
      known.push_back(name.str());
    auto node = cast<NodeOpInterface>(op);
    for (StringAttr name : op->getName().getAttributeNames())
      if (!llvm::is_contained(node.getCompilerAttrNames(), name.getValue()))
        known.push_back(name.str());
    return op->emitOpError()
           << "has no attribute '" << attr.getName().getValue()
           << "'; it takes " << runtime::quotedList(known);
  }
  return success();
}

LogicalResult checkParsed(Operation *op) {
  if (isa<DeviceOp>(op))
    return op->emitError("a device scope is left after phase 'parsed'");
  if (isa<ControlOpInterface>(op) && !isa<CustomGradientOp>(op))
    return op->emitError("a loop is left after phase 'parsed'");
  if (failed(checkAttributes(op)))
    return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkType(op->getLoc(), "a result", type)))
      return failure();
  return success();
}

LogicalResult checkFeeds(GraphOp graph) {
  for (auto [name, argument] :
       llvm::zip(graph.getFeedNames().getAsRange<StringAttr>(),
                 graph.getBlock().getArguments())) {
    std::string what = "feed '" + name.getValue().str() + "'";
    Location loc = argument.getLoc();
    if (failed(checkType(loc, what, argument.getType())))
      return failure();
    if (isa<StringType>(getElementTypeOrSelf(argument.getType())))
      return emitError(loc) << what << " is a string; strings are constants "
                            << "that are fetched, and nothing else";
  }
  return success();
}

LogicalResult checkDifferentiated(Operation *op) {
  if (failed(checkParsed(op)))
    return failure();
  auto shorthand = dyn_cast<Decomposable>(op);
  if ((shorthand && shorthand.isShorthand()) ||
      op->hasTrait<ReplacedByGradients>())
    return op->emitError("the op is left after phase 'differentiated'");
  return success();
}

LogicalResult checkReplicated(Operation *op) {
  if (failed(checkDifferentiated(op)))
    return failure();
  auto access = dyn_cast<VariableAccess>(op);
  if (access && access.isCompoundUpdate())
    return op->emitError("the op is left after phase 'replicated'");
  return success();
}

LogicalResult checkPlaced(Operation *op) {
  if (failed(checkReplicated(op)))
    return failure();
  if (!isa<ReturnOp>(op) && !getAssignedDeviceAttr(op))
    return op->emitError("the op has no device after phase 'placed'");
  return success();
}

/// The kernels of a module as functions, by name.
class KernelNames {
public:
  explicit KernelNames(ModuleOp module) {
    if (auto kernels = module.lookupSymbol<ModuleOp>(kKernelsModule))
      for (auto kernel : kernels.getOps<func::FuncOp>())
        names.insert(kernel.getSymName());
  }
  bool contains(StringRef name) const { return names.contains(name); }

private:
  llvm::StringSet<> names;
};

LogicalResult checkLowered(Operation *op, const KernelNames &kernels) {
  if (auto launch = dyn_cast<exec::LaunchOp>(op)) {
    if (!kernels.contains(launch.getKernel()))
      return op->emitError() << "launches '" << launch.getKernel()
                             << "', which is no function of the module '"
                             << kKernelsModule << "'";
    return success();
  }
  if (isa<ReturnOp>(op))
    for (Value value : op->getOperands())
      if (auto state = value.getDefiningOp<StepStateOp>())
        return state.emitError("a word of the step's state cannot be fetched "
                               "as it is; compute with it first, for example "
                               "with tfir.add");
  if (isa<VariableAccess, ReturnOp>(op) || op->hasTrait<MovesValues>() ||
      op->hasTrait<Rematerializable>() || op->hasTrait<KernelBarrier>() ||
      isView(op))
    return success();
  return op->emitError(
      "the op is left after phase 'lowered'; it has no kernel");
}

LogicalResult checkGraphs(ModuleOp module, Check check) {
  for (Operation &op : *module.getBody())
    if (failed(checkAttributes(&op)))
      return failure();
  for (auto variable : module.getOps<VariableOp>())
    if (failed(checkMirror(variable)))
      return failure();
  for (GraphOp graph : module.getOps<GraphOp>()) {
    if (failed(checkFeeds(graph)))
      return failure();
    for (Operation &op : graph.getBlock())
      if (failed(check(&op)) || failed(verifyFallback(&op)))
        return failure();
  }
  return success();
}

LogicalResult checkLoweredGraphs(ModuleOp module) {
  KernelNames kernels(module);
  return checkGraphs(module,
                     [&](Operation *op) { return checkLowered(op, kernels); });
}

/// `isKernel` tells whether a name is that of a kernel.
LogicalResult checkInstruction(exec::InstructionOpInterface op,
                               const SymbolTable &module, int64_t number,
                               function_ref<bool(StringRef)> isKernel) {
  Operation *which = op;
  if (auto dispatch = dyn_cast<exec::DispatchOp>(which)) {
    int64_t slots = dispatch.getSlots().size();
    for (int64_t position : dispatch.getWrites())
      if (position < 0 || position >= slots)
        return op.emitError()
               << "writes position " << position << " of " << slots << " slots";
    if (!isKernel(dispatch.getKernel()))
      return op.emitError() << "runs '" << dispatch.getKernel()
                            << "', which is no kernel of the module";
  } else if (auto next = dyn_cast<exec::NextOp>(which)) {
    if (!module.lookup<DatasetOp>(next.getDataset()))
      return op.emitError() << "reads '" << next.getDataset()
                            << "', which is no dataset of the module";
  }
  for (int64_t wait : op.getWaits())
    if (wait < 0 || wait >= number)
      return op.emitError() << "is instruction " << number << " and waits for "
                            << wait << ", which is not before it";
  return success();
}

LogicalResult checkProgram(exec::ProgramOp program, const SymbolTable &module,
                           function_ref<bool(StringRef)> isKernel) {
  int64_t number = 0;
  for (Operation &op : program.getBlock()) {
    if (auto slot = dyn_cast<exec::SlotOp>(op)) {
      if (slot.getVariable() && !module.lookup<VariableOp>(*slot.getVariable()))
        return op.emitError() << "is the place of '" << *slot.getVariable()
                              << "', which is no variable of the module";
    } else if (auto each = dyn_cast<exec::InstructionOpInterface>(op)) {
      if (failed(checkInstruction(each, module, number++, isKernel)))
        return failure();
    } else if (!isa<exec::FeedOp, exec::FetchOp>(op)) {
      return op.emitError("is no part of a program");
    }
  }
  return success();
}

LogicalResult checkPrograms(ModuleOp module,
                            function_ref<bool(StringRef)> isKernel) {
  for (GraphOp graph : module.getOps<GraphOp>())
    return graph.emitError("the graph is left after phase 'scheduled'");
  SymbolTable symbols(module);
  for (auto program : module.getOps<exec::ProgramOp>())
    if (failed(checkProgram(program, symbols, isKernel)))
      return failure();
  return verifyPrograms(module);
}

LogicalResult checkScheduled(ModuleOp module) {
  KernelNames kernels(module);
  return checkPrograms(module,
                       [&](StringRef name) { return kernels.contains(name); });
}

LogicalResult checkCompiled(ModuleOp module) {
  if (module.lookupSymbol(kKernelsModule))
    return module.emitError("kernels are left after phase 'compiled'");
  for (auto image : module.getOps<exec::ImageOp>())
    if (image.getEntries().size() !=
        static_cast<size_t>(llvm::range_size(module.getOps<exec::KernelOp>())))
      return image.emitError("the code does not have one entry per kernel");
  llvm::StringSet<> kernels;
  for (auto kernel : module.getOps<exec::KernelOp>())
    kernels.insert(kernel.getSymName());
  return checkPrograms(module,
                       [&](StringRef name) { return kernels.contains(name); });
}

/// The module names a target that there is.
LogicalResult checkTarget(ModuleOp module) {
  TfirDialect::CpuTargetAttrHelper attribute(module.getContext());
  StringAttr name = attribute.getAttr(module);
  std::vector<std::string> known = hostTargetNames();
  if (!name || llvm::is_contained(known, name.getValue()))
    return success();
  return module.emitError()
         << "the module has " << name << " as '" << attribute.getNameStr()
         << "', which is no target of CPUs; name one of "
         << runtime::quotedList(known) << ", or remove the attribute";
}

} // namespace

LogicalResult verifySource(ModuleOp module) {
  for (NamedAttribute attr : module->getDiscardableAttrs())
    return module.emitError()
           << "the module has the attribute '" << attr.getName().getValue()
           << "', but takes none; remove it, or put it on the op that is meant";
  for (auto table : module.getOps<DevicesOp>())
    return table.emitOpError("is the table of devices, which only the compiler "
                             "writes; remove it, or name the phase that wrote "
                             "it with --start-at");
  for (Operation &op : *module.getBody())
    if (isa_and_present<TfirDialect>(op.getDialect()) &&
        !isa<SymbolOpInterface, BudgetOp>(op) && failed(verifyInGraph(&op)))
      return failure();
  WalkResult result = module.walk([](Operation *op) {
    return failed(checkNotOwn(op)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyPhase(ModuleOp module, Phase phase) {
  if (failed(checkTarget(module)))
    return failure();
  switch (phase) {
  case Phase::Parsed:
    return checkGraphs(module, checkParsed);
  case Phase::Differentiated:
    return checkGraphs(module, checkDifferentiated);
  case Phase::Replicated:
    return checkGraphs(module, checkReplicated);
  case Phase::Placed:
    return checkGraphs(module, checkPlaced);
  case Phase::Partitioned:
    return success(succeeded(checkGraphs(module, checkReplicated)) &&
                   succeeded(verifyPartitions(module)));
  case Phase::Lowered:
    return success(succeeded(checkLoweredGraphs(module)) &&
                   succeeded(verifyPartitions(module)));
  case Phase::Scheduled:
    return checkScheduled(module);
  case Phase::Compiled:
    return checkCompiled(module);
  }
  llvm_unreachable("unknown phase");
}

} // namespace graphc
