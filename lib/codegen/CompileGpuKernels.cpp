// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds to the module what GPUs run in place of the kernels that their programs
// dispatch:
//
//   program on GPU:0 { dispatch @k(%x, %w, %y) }
//     -> exec.gpu_kernel @k buffers 3 ... { exec.gpu_matmul [0, 1, 2, 3] ... }
//        exec.gpu_image "sm_80" ptx "..."
//
// The module `kernels` stays as it is: CPUs run all of it.
#include "dialects/exec/Exec.h"
#include "graphc/Passes.h"
#include "lib/codegen/LowerToLlvm.h"
#include "lib/codegen/gpu/AssembleCubin.h"
#include "lib/codegen/gpu/CompileGpu.h"
#include "lib/lowering/GpuPlan.h"
#include "lib/lowering/KernelAttrs.h"
#include "runtime/base/DeviceName.h"

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
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_COMPILEGPUKERNELSPASS
#include "graphc/Passes.h.inc"

namespace {

bool isOnGpu(exec::ProgramOp program) {
  return program.getDevice().getDeviceName().type == "GPU";
}

/// The kernels that programs on GPUs dispatch.
llvm::StringSet<> kernelsOfGpus(ModuleOp module) {
  llvm::StringSet<> names;
  for (auto program : module.getOps<exec::ProgramOp>())
    if (isOnGpu(program))
      for (auto dispatch : program.getBlock().getOps<exec::DispatchOp>())
        names.insert(dispatch.getKernel());
  return names;
}

/// Bytes of the scratch memory of a kernel. What one stage alone needs shares
/// its place with that of the others.
class ScratchLayout {
public:
  explicit ScratchLayout(ArrayRef<int64_t> values) {
    for (int64_t bytes : values)
      own = place(own, bytes);
    scratch = own;
  }
  /// The number of the part, among the parts.
  int64_t addTemporary(int64_t bytes) {
    scratch = std::max(scratch, place(own, bytes));
    return static_cast<int64_t>(parts.size()) - 1;
  }

  SmallVector<int64_t> parts, sizes;
  int64_t scratch = 0;

private:
  int64_t place(int64_t at, int64_t bytes) {
    constexpr int64_t kAlignment = 256;
    parts.push_back(at);
    sizes.push_back(bytes);
    return llvm::alignTo(at + bytes, kAlignment);
  }

  int64_t own = 0;
};

/// Writes the kernels of GPUs.
class KernelWriter {
public:
  KernelWriter(OpBuilder &b, const GpuCode &code, exec::GpuPrecision precision)
      : b(b), precision(precision) {
    for (const GpuKernel &kernel : code.kernels)
      functions[kernel.name] = &kernel;
  }

  void write(const GpuKernelPlan &plan, Location loc);

private:
  using Buffers = SmallVector<int64_t>;

  void launch(const GpuCodeCall &call, Buffers buffers, Location loc);
  void call(const GpuMatmulCall &call, Buffers buffers, Location loc);
  void call(const GpuConvolutionCall &call, Buffers buffers, Location loc);
  void addTemporary(Buffers &buffers, int64_t bytes) {
    buffers.push_back(kernelBuffers + layout->addTemporary(bytes));
  }

  OpBuilder &b;
  exec::GpuPrecision precision;
  llvm::StringMap<const GpuKernel *> functions;
  int64_t kernelBuffers = 0;
  std::optional<ScratchLayout> layout; ///< of the kernel being written
};

void KernelWriter::launch(const GpuCodeCall &call, Buffers buffers,
                          Location loc) {
  const GpuKernel &function = *functions.lookup(call.function);
  if (function.scratch)
    addTemporary(buffers, function.scratch);
  for (const GpuLaunch &launch : function.launches)
    exec::GpuLaunchOp::create(b, loc, launch.entry, buffers, launch.grid,
                              launch.block);
}

void KernelWriter::call(const GpuMatmulCall &call, Buffers buffers,
                        Location loc) {
  addTemporary(buffers, workspaceOf(call));
  const MatmulSpec &spec = call.spec;
  exec::GpuMatmulOp::create(
      b, loc, buffers, ArrayRef<int64_t>{spec.m, spec.n, spec.k},
      spec.transposeA, spec.transposeB, APFloat(call.alpha), APFloat(call.beta),
      call.epilogue, precision);
}

void KernelWriter::call(const GpuConvolutionCall &call, Buffers buffers,
                        Location loc) {
  addTemporary(buffers, workspaceOf(call));
  const Conv2DSpec &spec = call.spec;
  int64_t images[] = {spec.batch, spec.inHeight, spec.inWidth, spec.inChannels};
  int64_t filter[] = {spec.outChannels, spec.kernelHeight, spec.kernelWidth,
                      spec.inChannels};
  int64_t result[] = {spec.batch, spec.outHeight, spec.outWidth,
                      spec.outChannels};
  int64_t strides[] = {spec.strideHeight, spec.strideWidth};
  int64_t pads[] = {spec.padTop, spec.padLeft};
  exec::GpuConvolutionOp::create(b, loc, call.kind, buffers, images, filter,
                                 result, strides, pads, call.epilogue,
                                 precision);
}

void KernelWriter::write(const GpuKernelPlan &plan, Location loc) {
  kernelBuffers = plan.buffers;
  layout.emplace(plan.values);
  auto kernel = exec::GpuKernelOp::create(b, loc, plan.name, plan.buffers,
                                          ArrayRef<int64_t>(),
                                          ArrayRef<int64_t>(), /*scratch=*/0);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
  for (const GpuStagePlan &stage : plan.stages)
    if (const auto *code = std::get_if<GpuCodeCall>(&stage.call))
      launch(*code, stage.buffers, loc);
    else if (const auto *product = std::get_if<GpuMatmulCall>(&stage.call))
      call(*product, stage.buffers, loc);
    else
      call(std::get<GpuConvolutionCall>(stage.call), stage.buffers, loc);
  kernel.setParts(layout->parts);
  kernel.setSizes(layout->sizes);
  kernel.setScratch(layout->scratch);
}

struct CompileGpuKernelsPass
    : impl::CompileGpuKernelsPassBase<CompileGpuKernelsPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  LogicalResult compileKernels(ModuleOp kernels,
                               const llvm::StringSet<> &names);
  LogicalResult writeImage(OpBuilder &b, ModuleOp kernels,
                           const GpuImage &image);
};

/// Leaves in `kernels`, a copy, the functions that are compiled for GPUs.
void keepCode(ModuleOp kernels, ArrayRef<GpuKernelPlan> plans,
              SmallVectorImpl<StringRef> &order) {
  llvm::StringSet<> kept;
  for (const GpuKernelPlan &plan : plans)
    for (const GpuStagePlan &stage : plan.stages)
      if (const auto *code = std::get_if<GpuCodeCall>(&stage.call))
        if (kept.insert(code->function).second)
          order.push_back(code->function);
  for (auto func : llvm::make_early_inc_range(kernels.getOps<func::FuncOp>()))
    if (!kept.contains(func.getSymName()))
      func.erase();
}

LogicalResult checkExtents(const GpuKernelPlan &plan, Location loc) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  for (const GpuStagePlan &stage : plan.stages) {
    int64_t extent = 0;
    if (const auto *product = std::get_if<GpuMatmulCall>(&stage.call))
      extent = largestExtent(*product);
    else if (const auto *conv = std::get_if<GpuConvolutionCall>(&stage.call))
      extent = largestExtent(*conv);
    if (extent > kMost)
      return emitError(loc)
             << "kernel '" << plan.name << "' has an operand with an extent of "
             << extent << ", and libraries of GPUs take up to " << kMost
             << "; divide it, or request a CPU for the op";
  }
  return success();
}

LogicalResult
CompileGpuKernelsPass::compileKernels(ModuleOp kernels,
                                      const llvm::StringSet<> &names) {
  OwningOpRef<ModuleOp> copy = kernels.clone();
  if (canonical)
    copy.get()->setAttr(kSeparateRounding, UnitAttr::get(&getContext()));
  SmallVector<func::FuncOp> funcs;
  for (auto func : copy->getOps<func::FuncOp>())
    if (names.contains(func.getSymName()))
      funcs.push_back(func);
  std::vector<GpuKernelPlan> plans;
  SmallVector<Location> locations;
  for (func::FuncOp func : funcs) {
    locations.push_back(func.getLoc());
    plans.push_back(planGpuKernel(func));
    if (failed(checkExtents(plans.back(), func.getLoc())))
      return failure();
  }
  SmallVector<StringRef> order;
  llvm::SmallSetVector<StringRef, 4> targets(archs.begin(), archs.end());
  keepCode(*copy, plans, order);
  FailureOr<GpuCode> code = compileGpu(*copy, targets.getArrayRef(), order);
  if (failed(code))
    return failure();
  OpBuilder b(kernels);
  KernelWriter writer(
      b, *code, *exec::symbolizeGpuPrecision(choiceName(precision.getValue())));
  for (auto [plan, loc] : llvm::zip(plans, locations))
    writer.write(plan, loc);
  for (const GpuImage &image : code->images)
    if (failed(writeImage(b, kernels, image)))
      return failure();
  return success();
}

LogicalResult CompileGpuKernelsPass::writeImage(OpBuilder &b, ModuleOp kernels,
                                                const GpuImage &image) {
  StringAttr code;
  if (cubin) {
    llvm::Expected<std::string> made = assembleCubin(image.ptx, image.arch);
    if (!made)
      return kernels.emitError(llvm::toString(made.takeError()));
    code = b.getStringAttr(*made);
  }
  exec::GpuImageOp::create(b, kernels.getLoc(), image.arch, image.ptx, code);
  return success();
}

void CompileGpuKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  // A program without kernels, which only copies, runs on GPUs as well: of a
  // model with an image it is known that it was compiled for them.
  auto kernels = module.lookupSymbol<ModuleOp>(kKernelsModule);
  if (kernels && llvm::any_of(module.getOps<exec::ProgramOp>(), isOnGpu) &&
      failed(compileKernels(kernels, kernelsOfGpus(module))))
    signalPassFailure();
}

} // namespace
} // namespace graphc
