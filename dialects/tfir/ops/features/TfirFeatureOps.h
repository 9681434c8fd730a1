// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirFeatureOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_FEATURES_TFIRFEATUREOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_FEATURES_TFIRFEATUREOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirFeatureOps.h.inc"

#endif
