// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ops of the dialect: the core and every group. A group is declared by its own
// header, so that a new op rebuilds only what names its group.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIROPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIROPS

include "dialects/tfir/ops/TfirCoreOps.td"
include "dialects/tfir/ops/TfirScalarOps.td"
include "dialects/tfir/ops/TfirActivationOps.td"
include "dialects/tfir/ops/windows/TfirConvOps.td"
include "dialects/tfir/ops/windows/TfirPoolingOps.td"

#endif
