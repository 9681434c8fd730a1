// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds to the module what GPUs run in place of the kernels that their programs
// dispatch:
//
//   program on GPU:0 { dispatch @k(%x, %w, %y) }
//     -> exec.gpu_kernel @k buffers 3 ... { exec.gpu_matmul [0, 1, 2, 3] ... }
//        exec.gpu_image "sm_80" ptx "..."
//
// The module `kernels` stays as it is: CPUs run all of it.
#include "lib/target/cuda/CudaTarget.h"

#include "lib/target/common/KernelAttrs.h"
#include "lib/target/common/LowerToLinalg.h"
#include "lib/target/cuda/AssembleCubin.h"
#include "lib/target/cuda/CompileGpu.h"
#include "lib/target/cuda/GpuKernelWriter.h"
#include "lib/target/cuda/GpuPlan.h"
#include "lib/target/cuda/WriteExecutable.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace graphc {

namespace {

class CudaTarget final : public Target {
public:
  StringRef name() const override { return "cuda"; }
  size_t maxFusedOps() const override { return kMaxFusedOps; }
  bool splitsReductions() const override { return true; }
  /// Libraries have the gradients of convolutions as they are.
  void prepareContraction(Operation *) const override {}
  LogicalResult lowerKernel(func::FuncOp kernel) const override {
    lowerToLinalg(kernel);
    return success();
  }
  KernelCost costOf(func::FuncOp kernel) const override {
    return estimateCost(kernel);
  }
  DeviceScratch scratchOf(exec::ProgramOp program) const override {
    exec::GpuKernels kernels(program->getParentOfType<ModuleOp>());
    exec::GpuKernels::Scratch scratch = kernels.scratchOf(program);
    return {scratch.bytes, scratch.largest};
  }
  StringRef executableName() const override { return "cuda"; }
  std::vector<uint8_t> writeExecutable(ModuleOp module) const override {
    return writeCudaExecutable(module);
  }
  LogicalResult compile(ModuleOp kernels,
                        const CodegenOptions &options) const override;

private:
  bool isTargetOf(exec::ProgramOp program) const {
    return &targetOf(program) == this;
  }
  SmallVector<func::FuncOp> dispatched(ModuleOp module, ModuleOp kernels) const;
};

/// The kernels of `kernels` that programs of the target dispatch.
SmallVector<func::FuncOp> CudaTarget::dispatched(ModuleOp module,
                                                 ModuleOp kernels) const {
  llvm::StringSet<> names;
  for (auto program : module.getOps<exec::ProgramOp>())
    if (isTargetOf(program))
      for (auto dispatch : program.getBlock().getOps<exec::DispatchOp>())
        names.insert(dispatch.getKernel());
  SmallVector<func::FuncOp> funcs;
  for (auto func : kernels.getOps<func::FuncOp>())
    if (names.contains(func.getSymName()))
      funcs.push_back(func);
  return funcs;
}

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
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  for (const GpuStagePlan &stage : plan.stages) {
    int64_t extent = 0;
    if (const auto *product = std::get_if<GpuMatmulCall>(&stage.call))
      extent = largestExtent(*product);
    else if (const auto *conv = std::get_if<GpuConvolutionCall>(&stage.call))
      extent = largestExtent(*conv);
    if (extent > kMax)
      return emitError(loc)
             << "kernel '" << plan.name << "' has an operand with an extent of "
             << extent << ", and libraries of GPUs take up to " << kMax
             << "; divide it, or request a CPU for the op";
  }
  return success();
}

LogicalResult writeImage(OpBuilder &b, ModuleOp kernels, const GpuImage &image,
                         bool cubin) {
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

LogicalResult CudaTarget::compile(ModuleOp kernels,
                                  const CodegenOptions &options) const {
  auto module = kernels->getParentOfType<ModuleOp>();
  // A program without kernels, which only copies, runs on GPUs as well: of a
  // model with an image it is known that it was compiled for them.
  if (llvm::none_of(
          module.getOps<exec::ProgramOp>(),
          [&](exec::ProgramOp program) { return isTargetOf(program); }))
    return success();
  OwningOpRef<ModuleOp> copy = kernels.clone();
  if (options.separateRounding)
    setSeparateRounding(*copy);
  std::vector<GpuKernelPlan> plans;
  SmallVector<Location> locations;
  for (func::FuncOp func : dispatched(module, *copy)) {
    locations.push_back(func.getLoc());
    plans.push_back(planGpuKernel(func));
    if (failed(checkExtents(plans.back(), func.getLoc())))
      return failure();
  }
  SmallVector<StringRef> order;
  llvm::SmallSetVector<StringRef, 4> archs(options.gpuArchs.begin(),
                                           options.gpuArchs.end());
  keepCode(*copy, plans, order);
  FailureOr<GpuCode> code =
      compileGpu(*copy, archs.getArrayRef(), order, options.cache);
  if (failed(code))
    return failure();
  OpBuilder b(kernels);
  GpuKernelWriter writer(b, *code, options.precision);
  for (auto [plan, loc] : llvm::zip(plans, locations))
    writer.write(plan, loc);
  for (const GpuImage &image : code->images)
    if (failed(writeImage(b, kernels, image, options.cubin)))
      return failure();
  return success();
}

} // namespace

const Target &cudaTarget() {
  static const CudaTarget target;
  return target;
}

} // namespace graphc
