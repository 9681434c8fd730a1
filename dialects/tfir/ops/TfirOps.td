// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ops and attributes of the dialect: the core and every group. A group is declared by its own
// header, so that a new op rebuilds only what names its group.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIROPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIROPS

include "dialects/tfir/ops/TfirCoreOps.td"
include "dialects/tfir/training/TfirOptimizers.td"
include "dialects/tfir/ops/TfirScalarOps.td"
include "dialects/tfir/ops/TfirActivationOps.td"
include "dialects/tfir/ops/arrange/TfirMatrixOps.td"
include "dialects/tfir/ops/arrange/TfirShapeOps.td"
include "dialects/tfir/ops/arrange/TfirSpatialOps.td"
include "dialects/tfir/ops/aggregate/TfirLossOps.td"
include "dialects/tfir/ops/aggregate/TfirNormOps.td"
include "dialects/tfir/ops/aggregate/TfirReductionOps.td"
include "dialects/tfir/ops/checks/TfirCheckOps.td"
include "dialects/tfir/ops/control/TfirControlOps.td"
include "dialects/tfir/ops/features/TfirFeatureOps.td"
include "dialects/tfir/ops/images/TfirImageOps.td"
include "dialects/tfir/ops/linear_algebra/TfirLinearOps.td"
include "dialects/tfir/ops/random/TfirRandomOps.td"
include "dialects/tfir/ops/recurrent/TfirRecurrentOps.td"
include "dialects/tfir/ops/spectral/TfirSpectralOps.td"
include "dialects/tfir/ops/TfirGatherOps.td"
include "dialects/tfir/gather/TfirScatterOps.td"
include "dialects/tfir/products/TfirProductOps.td"
include "dialects/tfir/ops/windows/TfirConvOps.td"
include "dialects/tfir/ops/windows/TfirPoolingOps.td"

#endif
