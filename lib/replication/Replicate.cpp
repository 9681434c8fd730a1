// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_REPLICATEPASS
#include "graphc/Passes.h.inc"

namespace {

struct ReplicatePass : impl::ReplicatePassBase<ReplicatePass> {
  using Base::Base;

  void runOnOperation() override {}
};

} // namespace
} // namespace graphc
