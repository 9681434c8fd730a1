// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirSpectralOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_SPECTRAL_TFIRSPECTRALOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_SPECTRAL_TFIRSPECTRALOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirSpectralOps.h.inc"

#endif
