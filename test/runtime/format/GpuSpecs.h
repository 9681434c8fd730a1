// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable for GPUs of a model under construction.
#ifndef GRAPHC_TEST_RUNTIME_FORMAT_GPUSPECS_H
#define GRAPHC_TEST_RUNTIME_FORMAT_GPUSPECS_H

#include "runtime/target/cuda/format/CudaExecutable_generated.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace graphc::test {

struct GpuImageSpec {
  std::string arch;
  std::string ptx;
  std::optional<std::string> cubin{};
};

struct GpuLaunchSpec {
  std::string entry;
  uint32_t grid = 1, block = 32;
};

struct GpuMatmulSpec {
  uint64_t m = 1, n = 1, k = 1;
  bool transposeA = false, transposeB = false;
  float alpha = 1, beta = 0;
  format::GpuEpilogue epilogue = format::GpuEpilogue::None;
  format::GpuPrecision precision = format::GpuPrecision::Float32;
};

struct GpuConvolutionSpec {
  format::GpuConvolutionKind kind = format::GpuConvolutionKind::Forward;
  uint64_t batch = 1, inHeight = 1, inWidth = 1, inChannels = 1;
  uint64_t kernelHeight = 1, kernelWidth = 1;
  uint64_t outHeight = 1, outWidth = 1, outChannels = 1;
  uint64_t strideHeight = 1, strideWidth = 1;
  uint64_t padHeight = 0, padWidth = 0;
  format::GpuEpilogue epilogue = format::GpuEpilogue::None;
  format::GpuPrecision precision = format::GpuPrecision::Float32;
};

struct GpuStageSpec {
  std::variant<GpuLaunchSpec, GpuMatmulSpec, GpuConvolutionSpec> call;
  std::vector<uint32_t> buffers;
};

struct GpuKernelSpec {
  std::vector<GpuStageSpec> stages;
  uint32_t buffers = 0;
  std::vector<format::GpuExtent> scratch{};
  uint64_t scratchBytes = 0;
};

/// The code of an executable.
flatbuffers::DetachedBuffer
writeGpuCode(const std::vector<GpuImageSpec> &images,
             const std::vector<GpuKernelSpec> &kernels);

flatbuffers::Offset<format::GpuKernel>
writeGpuKernel(flatbuffers::FlatBufferBuilder &builder,
               const GpuKernelSpec &kernel);

} // namespace graphc::test

#endif
