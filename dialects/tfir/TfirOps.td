// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ops of the dialect; the only file that users of the .td files name.
#ifndef GRAPHC_DIALECTS_TFIR_TFIROPS
#define GRAPHC_DIALECTS_TFIR_TFIROPS

include "dialects/tfir/TfirStateOps.td"
include "dialects/tfir/TfirArrayOps.td"
include "dialects/tfir/TfirMathOps.td"
include "dialects/tfir/TfirNnOps.td"
include "dialects/tfir/TfirDeviceOps.td"

#endif
