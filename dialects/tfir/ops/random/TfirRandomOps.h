// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirRandomOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_RANDOM_TFIRRANDOMOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_RANDOM_TFIRRANDOMOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirRandomOps.h.inc"

#endif
