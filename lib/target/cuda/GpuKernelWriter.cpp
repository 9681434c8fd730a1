// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cuda/GpuKernelWriter.h"

using namespace mlir;

namespace graphc {

void GpuKernelWriter::launch(const GpuCodeCall &call, Buffers buffers,
                             Location loc) {
  const GpuKernel &function = *functions.lookup(call.function);
  if (function.scratch)
    addTemporary(buffers, function.scratch);
  for (const GpuLaunch &launch : function.launches)
    exec::GpuLaunchOp::create(b, loc, launch.entry, buffers, launch.grid,
                              launch.block);
}

void GpuKernelWriter::call(const GpuMatmulCall &call, Buffers buffers,
                           Location loc) {
  addTemporary(buffers, workspaceOf(call));
  const tfir::MatmulSpec &spec = call.spec;
  exec::GpuMatmulOp::create(
      b, loc, buffers, ArrayRef<int64_t>{spec.m, spec.n, spec.k},
      spec.transposeA, spec.transposeB, APFloat(call.alpha), APFloat(call.beta),
      call.epilogue, precision);
}

void GpuKernelWriter::call(const GpuConvolutionCall &call, Buffers buffers,
                           Location loc) {
  addTemporary(buffers, workspaceOf(call));
  const tfir::Conv2DSpec &spec = call.spec;
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

void GpuKernelWriter::write(const GpuKernelPlan &plan, Location loc) {
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

} // namespace graphc
