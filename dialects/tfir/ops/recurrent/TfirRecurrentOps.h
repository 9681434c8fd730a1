// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirRecurrentOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_RECURRENT_TFIRRECURRENTOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_RECURRENT_TFIRRECURRENTOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirRecurrentOps.h.inc"

#endif
