// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes of optimizers and schedules. Passes need their interfaces alone,
// which Tfir.h declares.
#ifndef GRAPHC_DIALECTS_TFIR_TRAINING_TFIROPTIMIZERS_H
#define GRAPHC_DIALECTS_TFIR_TRAINING_TFIROPTIMIZERS_H

#include "dialects/tfir/Tfir.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/tfir/TfirOptimizers.h.inc"

#endif
