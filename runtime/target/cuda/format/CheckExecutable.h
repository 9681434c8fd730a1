// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what a file holds for GPUs.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_FORMAT_CHECKEXECUTABLE_H
#define GRAPHC_RUNTIME_TARGET_CUDA_FORMAT_CHECKEXECUTABLE_H

#include "runtime/format/ExecutableFormat.h"
#include "runtime/target/cuda/format/CudaExecutable_generated.h"

namespace graphc::runtime {

/// The images and kernels. `budget` is what may be walked of lists that are
/// named from many places.
Status checkGpuCode(const format::CudaExecutable &code,
                    const format::Model &model, uint64_t &budget);

/// That a program on a GPU can do the dispatch: there are stages, for so many
/// slots, of which those that go to libraries are large enough. REQUIRES:
/// checkGpuCode(), and that kernel and slots exist.
Status checkGpuDispatch(const format::CudaExecutable &code,
                        const format::Model &model,
                        const format::Program &program,
                        const format::Dispatch &dispatch, uint64_t &budget);

} // namespace graphc::runtime

#endif
