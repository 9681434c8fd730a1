// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable of NVIDIA's GPUs in a model.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_FORMAT_CUDAEXECUTABLE_H
#define GRAPHC_RUNTIME_TARGET_CUDA_FORMAT_CUDAEXECUTABLE_H

#include "runtime/format/ExecutableFormat.h"
#include "runtime/format/Model.h"
#include "runtime/target/cuda/format/CudaExecutable_generated.h"

namespace graphc::runtime {

/// Executable.target, and the type of devices that execute it.
inline constexpr std::string_view kCudaTarget = "cuda";
inline constexpr std::string_view kCudaDeviceType = "GPU";

const ExecutableFormat &cudaFormat();

/// Null: the model has no code for GPUs. Valid as long as the model.
const format::CudaExecutable *cudaExecutable(const Model &model);

} // namespace graphc::runtime

#endif
