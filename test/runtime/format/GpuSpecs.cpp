// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/format/GpuSpecs.h"

namespace graphc::test {

namespace fb = flatbuffers;

namespace {

fb::Offset<void> call(fb::FlatBufferBuilder &builder,
                      const GpuLaunchSpec &launch) {
  return format::CreateGpuLaunchDirect(builder, launch.entry.c_str(),
                                       launch.grid, launch.block)
      .Union();
}

fb::Offset<void> call(fb::FlatBufferBuilder &builder,
                      const GpuMatmulSpec &product) {
  return format::CreateGpuMatmul(builder, product.m, product.n, product.k,
                                 product.transposeA, product.transposeB,
                                 product.alpha, product.beta, product.epilogue,
                                 product.precision)
      .Union();
}

fb::Offset<void> call(fb::FlatBufferBuilder &builder,
                      const GpuConvolutionSpec &conv) {
  return format::CreateGpuConvolution(
             builder, conv.kind, conv.batch, conv.inHeight, conv.inWidth,
             conv.inChannels, conv.kernelHeight, conv.kernelWidth,
             conv.outHeight, conv.outWidth, conv.outChannels, conv.strideHeight,
             conv.strideWidth, conv.padHeight, conv.padWidth, conv.epilogue,
             conv.precision)
      .Union();
}

} // namespace

fb::Offset<format::GpuKernel> writeGpuKernel(fb::FlatBufferBuilder &builder,
                                             const GpuKernelSpec &kernel) {
  constexpr format::GpuCall kKinds[] = {format::GpuCall::GpuLaunch,
                                        format::GpuCall::GpuMatmul,
                                        format::GpuCall::GpuConvolution};
  std::vector<fb::Offset<format::GpuStage>> stages;
  for (const GpuStageSpec &stage : kernel.stages) {
    fb::Offset<void> table = std::visit(
        [&](const auto &each) { return call(builder, each); }, stage.call);
    stages.push_back(format::CreateGpuStageDirect(
        builder, kKinds[stage.call.index()], table, &stage.buffers));
  }
  return format::CreateGpuKernelDirect(builder, &stages, kernel.buffers,
                                       &kernel.scratch, kernel.scratchBytes);
}

} // namespace graphc::test
