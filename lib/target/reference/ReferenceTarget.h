// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reference target of CPUs: each op is a kernel of its own, lowered by MLIR's
// bufferization and loops, without fusion, tiles, vectors or strategies. What
// differs from the target `cpu` beyond rounding is a fault of one of them.
#ifndef GRAPHC_LIB_TARGET_REFERENCE_REFERENCETARGET_H
#define GRAPHC_LIB_TARGET_REFERENCE_REFERENCETARGET_H

#include "lib/target/Target.h"

namespace graphc {

const Target &referenceTarget();

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_REFERENCE_REFERENCETARGET_H
