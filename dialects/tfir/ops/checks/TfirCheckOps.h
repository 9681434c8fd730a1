// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirCheckOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_CHECKS_TFIRCHECKOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_CHECKS_TFIRCHECKOPS_H

#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/checks/ReportsValues.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirCheckOps.h.inc"

#endif
