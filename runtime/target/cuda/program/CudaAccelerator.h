// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUs of a process: opens, links and describes those that a model needs.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_CUDAACCELERATOR_H
#define GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_CUDAACCELERATOR_H

#include "runtime/target/Accelerator.h"

namespace graphc::runtime {

/// The one object of this kind. GPU:n of a plan is the driver's n-th.
const Accelerator &cudaAccelerator();

} // namespace graphc::runtime

#endif
