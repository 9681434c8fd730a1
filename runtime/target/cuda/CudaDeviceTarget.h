// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target of NVIDIA's GPUs, by the CUDA driver and its libraries.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_CUDADEVICETARGET_H
#define GRAPHC_RUNTIME_TARGET_CUDA_CUDADEVICETARGET_H

#include "runtime/target/DeviceTarget.h"

namespace graphc::runtime {

/// The one object of the target.
const DeviceTarget &cudaTarget();

} // namespace graphc::runtime

#endif
