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

fb::DetachedBuffer writeGpuCode(const std::vector<GpuImageSpec> &images,
                                const std::vector<GpuKernelSpec> &kernels) {
  fb::FlatBufferBuilder builder;
  auto bytesOf = [&](const std::string &text) {
    return builder.CreateVector(std::vector<uint8_t>(text.begin(), text.end()));
  };
  std::vector<fb::Offset<format::GpuImage>> imageTables;
  for (const GpuImageSpec &image : images) {
    auto ptx = bytesOf(image.ptx);
    fb::Offset<fb::Vector<uint8_t>> cubin = 0;
    if (image.cubin)
      cubin = bytesOf(*image.cubin);
    imageTables.push_back(format::CreateGpuImage(
        builder, builder.CreateString(image.arch), ptx, cubin));
  }
  std::vector<fb::Offset<format::GpuKernel>> kernelTables;
  for (const GpuKernelSpec &kernel : kernels)
    kernelTables.push_back(writeGpuKernel(builder, kernel));
  format::FinishCudaExecutableBuffer(
      builder,
      format::CreateCudaExecutableDirect(builder, &imageTables, &kernelTables));
  return builder.Release();
}

} // namespace graphc::test
