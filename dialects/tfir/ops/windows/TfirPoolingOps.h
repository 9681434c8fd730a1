// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirPoolingOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_WINDOWS_TFIRPOOLINGOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_WINDOWS_TFIRPOOLINGOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirPoolingOps.h.inc"

#endif
