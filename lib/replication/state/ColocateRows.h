// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts lookups and gradients of tables beside these: rows travel, not tables.
#ifndef GRAPHC_LIB_REPLICATION_STATE_COLOCATEROWS_H
#define GRAPHC_LIB_REPLICATION_STATE_COLOCATEROWS_H

#include "dialects/tfir/Tfir.h"

namespace graphc {

/// Colocates with their variable the gathers of rows that are fewer than the
/// variable has, unless the user requests a device for them; and with the op
/// that takes it, a gradient that is a sum of such rows.
/// REQUIRES: a variable is read once (tfir-promote-variables).
void colocateRows(tfir::GraphOp graph);

} // namespace graphc

#endif
