// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the buffers that a library reads and writes when a GPU's kernel
// calls it.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_FORMAT_CALLNEEDS_H
#define GRAPHC_RUNTIME_TARGET_CUDA_FORMAT_CALLNEEDS_H

#include "runtime/base/Status.h"
#include "runtime/target/cuda/format/CudaExecutable_generated.h"

#include <vector>

namespace graphc::runtime {

/// The least bytes of each buffer of a call; empty for a launch, whose code
/// alone knows. Fails where the numbers of the call make no sense.
StatusOr<std::vector<uint64_t>> gpuCallNeeds(const format::GpuStage &stage);

} // namespace graphc::runtime

#endif
