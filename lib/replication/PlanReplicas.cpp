// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_PLANREPLICASPASS
#include "graphc/Passes.h.inc"

namespace {

struct PlanReplicasPass : impl::PlanReplicasPassBase<PlanReplicasPass> {
  using Base::Base;

  void runOnOperation() override {}
};

} // namespace
} // namespace graphc
