// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types and constants as model.bin stores them.
#ifndef GRAPHC_LIB_PACKAGE_CONSTANTS_H
#define GRAPHC_LIB_PACKAGE_CONSTANTS_H

#include "runtime/format/model_generated.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <vector>

namespace graphc {

/// REQUIRES: one of the element types of tfir.
format::DType dtypeOf(mlir::Type element);

/// The bytes of a constant in row-major order; a bool takes one byte, strings
/// are a table of offsets and their text.
std::vector<char> constantBytes(mlir::ElementsAttr value);

} // namespace graphc

#endif
