// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what a file holds for GPUs.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_GPUVERIFIER_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_GPUVERIFIER_H

#include "runtime/base/Status.h"
#include "runtime/format/verify/BlobVerifier.h"

namespace graphc::runtime {

/// The images and kernels. `budget` is what may be walked of lists that are
/// named from many places.
Status checkGpuCode(const format::Model &model, BlobVerifier &blobs,
                    uint64_t &budget);

/// The scratch memory of a program: none, but on a GPU.
Status checkGpuScratch(const format::Program &program);

/// That a program on a GPU can do the dispatch: there are stages, for so many
/// slots, of which those that go to libraries are large enough; nothing where
/// the file has no kernels for GPUs. REQUIRES: checkGpuCode(), and that kernel
/// and slots exist.
Status checkGpuDispatch(const format::Model &model,
                        const format::Program &program,
                        const format::Dispatch &dispatch, uint64_t &budget);

/// Whether the program's device is a GPU. REQUIRES: its name can be read.
bool isOnGpu(const format::Program &program);

} // namespace graphc::runtime

#endif
