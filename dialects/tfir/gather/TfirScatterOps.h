// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirScatterOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_GATHER_TFIRSCATTEROPS_H
#define GRAPHC_DIALECTS_TFIR_GATHER_TFIRSCATTEROPS_H

#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/gather/UpdatesRows.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirScatterOps.h.inc"

#endif
