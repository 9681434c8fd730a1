// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From LLVM IR to PTX.
#ifndef GRAPHC_LIB_TARGET_CUDA_WRITEPTX_H
#define GRAPHC_LIB_TARGET_CUDA_WRITEPTX_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace graphc {

/// True for sm_80 and later ones that LLVM can write PTX for, whose PTX newer
/// ones take.
bool isGpuArchitecture(llvm::StringRef arch);
/// "sm_80, sm_86, ...".
std::string gpuArchitectures();

/// Optimises `module` for `arch` and returns its PTX.
/// REQUIRES: isGpuArchitecture(arch).
llvm::Expected<std::string> writePtx(llvm::Module &module,
                                     llvm::StringRef arch);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_WRITEPTX_H
