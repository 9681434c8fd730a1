// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates that can be done row by row.
#ifndef GRAPHC_LIB_REPLICATION_SHARDS_ELEMENTWISEUPDATE_H
#define GRAPHC_LIB_REPLICATION_SHARDS_ELEMENTWISEUPDATE_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// True when no element of what the optimizer makes depends on another one than
/// that at its place, so that rows can be updated apart. Of the optimizer's own
/// formula, which is built for the question and dropped.
bool isElementwiseUpdate(tfir::ApplyOp op);

} // namespace graphc

#endif
