// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirLossOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_TFIRLOSSOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_TFIRLOSSOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirLossOps.h.inc"

#endif
