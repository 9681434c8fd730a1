// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirProductOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_PRODUCTS_TFIRPRODUCTOPS_H
#define GRAPHC_DIALECTS_TFIR_PRODUCTS_TFIRPRODUCTOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirProductOps.h.inc"

#endif
