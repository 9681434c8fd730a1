// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirActivationOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRACTIVATIONOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRACTIVATIONOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirActivationOps.h.inc"

#endif
