// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From PTX to machine code, by the assembler of the CUDA toolkit.
#ifndef GRAPHC_LIB_TARGET_CUDA_ASSEMBLECUBIN_H
#define GRAPHC_LIB_TARGET_CUDA_ASSEMBLECUBIN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace graphc {

/// The machine code that `ptxas`, found on PATH, makes of `ptx`.
llvm::Expected<std::string> assembleCubin(llvm::StringRef ptx,
                                          llvm::StringRef arch);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_ASSEMBLECUBIN_H
