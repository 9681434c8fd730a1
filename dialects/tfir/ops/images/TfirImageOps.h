// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of TfirImageOps.td.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_IMAGES_TFIRIMAGEOPS_H
#define GRAPHC_DIALECTS_TFIR_OPS_IMAGES_TFIRIMAGEOPS_H

#include "dialects/tfir/Tfir.h"

#define GET_OP_CLASSES
#include "dialects/tfir/TfirImageOps.h.inc"

#endif
