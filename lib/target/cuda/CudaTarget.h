// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target of NVIDIA GPUs: PTX, and calls of libraries for contractions.
#ifndef GRAPHC_LIB_TARGET_CUDA_CUDATARGET_H
#define GRAPHC_LIB_TARGET_CUDA_CUDATARGET_H

#include "lib/target/Target.h"

namespace graphc {

const Target &cudaTarget();

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_CUDATARGET_H
