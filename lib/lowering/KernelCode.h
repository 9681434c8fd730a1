// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text by which kernels are compared.
#ifndef GRAPHC_LIB_LOWERING_KERNELCODE_H
#define GRAPHC_LIB_LOWERING_KERNELCODE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace graphc {

/// The text of a kernel without its name, and without the names of its ops: two
/// with the same text do the same.
std::string kernelCode(mlir::func::FuncOp kernel);

} // namespace graphc

#endif
