// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirNormOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_TFIRNORMOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_TFIRNORMOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirNormOps.h.inc"

#endif
