// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints what a model holds for GPUs.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_FORMAT_PRINTEXECUTABLE_H
#define GRAPHC_RUNTIME_TARGET_CUDA_FORMAT_PRINTEXECUTABLE_H

#include "runtime/format/ExecutableFormat.h"
#include "runtime/target/cuda/format/CudaExecutable_generated.h"

#include <iosfwd>

namespace graphc::runtime {

/// The stages of a kernel, a line each; nothing where no GPU runs it. `b0` is a
/// buffer of the dispatch, `s0` a part of the scratch memory, whose size is
/// there with `layout`.
void printGpuKernel(const format::GpuKernel &kernel, std::ostream &out,
                    bool layout);

/// The architectures that there is code for; its bytes with `layout`. `code`
/// holds the executable.
void printGpuImages(const format::CudaExecutable &executable,
                    const ExecutableCode &code, std::ostream &out, bool layout);

} // namespace graphc::runtime

#endif
