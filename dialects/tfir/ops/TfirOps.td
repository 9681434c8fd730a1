// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ops of the dialect; the only file that users of the .td files name.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIROPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIROPS

include "dialects/tfir/ops/TfirStateOps.td"
include "dialects/tfir/ops/TfirArrayOps.td"
include "dialects/tfir/ops/TfirMathOps.td"
include "dialects/tfir/ops/TfirScalarOps.td"
include "dialects/tfir/ops/TfirActivationOps.td"
include "dialects/tfir/ops/TfirNnOps.td"
include "dialects/tfir/ops/TfirDeviceOps.td"
include "dialects/tfir/ops/TfirSummaryOps.td"

#endif
