// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirShapeOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_TFIRSHAPEOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_TFIRSHAPEOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirShapeOps.h.inc"

#endif
