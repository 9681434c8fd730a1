// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirControlOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_CONTROL_TFIRCONTROLOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_CONTROL_TFIRCONTROLOPS_H

#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/control/KernelControl.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirControlOps.h.inc"

#endif
