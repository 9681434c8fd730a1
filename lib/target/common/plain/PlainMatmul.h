// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products as linalg, for targets without other code for them.
#ifndef GRAPHC_LIB_TARGET_COMMON_PLAIN_PLAINMATMUL_H
#define GRAPHC_LIB_TARGET_COMMON_PLAIN_PLAINMATMUL_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// Builds the result of `product`, of the kind Matmul with or without a batch,
/// at the insertion point: one linalg.generic that sums in the order of k.
mlir::Value buildPlainMatmul(mlir::OpBuilder &builder,
                             tfir::ContractionInterface product);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_COMMON_PLAIN_PLAINMATMUL_H
