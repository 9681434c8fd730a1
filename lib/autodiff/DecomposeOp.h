// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The expansion of one op that is short for others.
#ifndef GRAPHC_LIB_AUTODIFF_DECOMPOSEOP_H
#define GRAPHC_LIB_AUTODIFF_DECOMPOSEOP_H

#include "lib/frontend/UniqueNames.h"

namespace graphc {

/// Replaces `op`, and what it expands to, until nothing is short for others.
/// Calls the new ops `scope/Kind`. Fails after a diagnostic.
llvm::LogicalResult decomposeFully(tfir::Decomposable op, llvm::StringRef scope,
                                   UniqueNames &names);

} // namespace graphc

#endif
