// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirMatrixOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_TFIRMATRIXOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_TFIRMATRIXOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirMatrixOps.h.inc"

#endif
