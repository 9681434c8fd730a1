// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirLinearOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_LINEAR_ALGEBRA_TFIRLINEAROPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_LINEAR_ALGEBRA_TFIRLINEAROPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirLinearOps.h.inc"

#endif
