// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops that passes know by their classes: state, training, devices, and those
// that other ops are written with. Tfir.h declares them.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRCOREOPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRCOREOPS

include "dialects/tfir/ops/TfirStateOps.td"
include "dialects/tfir/ops/TfirArrayOps.td"
include "dialects/tfir/ops/TfirMathOps.td"
include "dialects/tfir/ops/TfirNnOps.td"
include "dialects/tfir/ops/TfirDeviceOps.td"
include "dialects/tfir/ops/TfirSummaryOps.td"

#endif
