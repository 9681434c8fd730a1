// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_PLACEPASS
#include "graphc/Passes.h.inc"

namespace {

struct PlacePass : impl::PlacePassBase<PlacePass> {
  using Base::Base;

  void runOnOperation() override {
    Builder b(&getContext());
    auto device =
        b.getStringAttr("/job:localhost/replica:0/task:0/device:CPU:0");
    for (Operation &op : *getOperation().getBody()) {
      op.setAttr(tfir::kAssignedAttr, device);
      if (auto graph = dyn_cast<tfir::GraphOp>(op))
        for (Operation &inner : graph.getBlock().without_terminator())
          inner.setAttr(tfir::kAssignedAttr, device);
    }
  }
};

} // namespace
} // namespace graphc
