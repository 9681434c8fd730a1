// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirScalarOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRSCALAROPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRSCALAROPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirScalarOps.h.inc"

#endif
