// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs splitVariables() as a pass, with the table of devices and the rules of
// its options.
#include "graphc/Passes.h"

#include "lib/placement/inputs/DeviceFiles.h"
#include "lib/placement/inputs/DeviceTable.h"
#include "lib/placement/split/SplitVariables.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_SPLITVARIABLESPASS
#include "graphc/Passes.h.inc"

namespace {

struct SplitVariablesPass : impl::SplitVariablesPassBase<SplitVariablesPass> {
  using Base::Base;

  void runOnOperation() override {
    runtime::Status status = split();
    if (status.isOk())
      return;
    getOperation().emitError() << status.message();
    signalPassFailure();
  }

private:
  /// Leaves warnings about rules to tfir-place, which reads them, too.
  runtime::Status split() {
    std::vector<std::string> texts(place.begin(), place.end());
    GRAPHC_ASSIGN_OR_RETURN(PlacementRules read,
                            readPlacementRules(texts, rules));
    splitVariables(getOperation(), readDeviceTable(getOperation()), read);
    return runtime::Status::ok();
  }
};

} // namespace
} // namespace graphc
