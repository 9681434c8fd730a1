// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/lint/Lint.h"

#include "graphc/Passes.h"
#include "lib/placement/inputs/DeviceTable.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_LINTPASS
#include "graphc/Passes.h.inc"

namespace {

constexpr LintRule kRules[] = {
    {"unused-feed", LintStage::Parsed, "nothing uses a feed", lintUnusedFeeds},
    {"unused-variable", LintStage::Parsed,
     "no graph reads or writes a variable", lintUnusedVariables},
    {"unused-dataset", LintStage::Parsed, "no graph takes a dataset's batches",
     lintUnusedDatasets},
    {"idle-graph", LintStage::Parsed,
     "a graph neither fetches nor writes anything", lintIdleGraphs},
    {"large-constant", LintStage::Parsed, "a constant has more than 1 MiB",
     lintLargeConstants},
    {"large-fetch", LintStage::Parsed,
     "each training step fetches more than 1 MiB", lintLargeFetches},
    {"ema-before-apply", LintStage::Parsed,
     "an average takes in a variable before its update", lintEarlyAverages},
    {"equal-seeds", LintStage::Parsed,
     "random ops of different towers draw the same numbers", lintEqualSeeds},
    {"equal-shards", LintStage::Parsed,
     "different towers take the same part of the data", lintEqualShards},
    {"last-tower-loss", LintStage::Parsed,
     "the fetched value is that of the last of several towers",
     lintLastTowerLoss},
    {"device-unused", LintStage::Placed,
     "nothing is on a device that was named", lintUnusedDevices},
    {"ping-pong", LintStage::Placed,
     "values go to another device for little work, and back", lintPingPong},
    {"uneven-ps", LintStage::Placed,
     "one device has far more bytes of variables than others",
     lintUnevenServers},
};

struct LintPass : impl::LintPassBase<LintPass> {
  using Base::Base;

  void runOnOperation() override {
    DeviceSet devices = readDeviceTable(getOperation());
    LintContext context(getOperation(), devices);
    int64_t findings = lint(context, stage);
    markAllAnalysesPreserved();
    if (asErrors && findings) {
      getOperation().emitError()
          << "has " << findings << (findings == 1 ? " finding" : " findings")
          << "; repair what the warnings above name, or use --lint, which "
             "only prints them";
      signalPassFailure();
    }
  }
};

} // namespace

void LintContext::report(Location loc, const Twine &what, const Twine &fix) {
  emitWarning(loc) << "[" << rule << "] " << what << "; " << fix;
  ++findings;
}

ArrayRef<LintRule> lintRules() { return kRules; }

int64_t lint(LintContext &context, LintStage stage) {
  for (const LintRule &rule : lintRules()) {
    if (rule.stage != stage)
      continue;
    context.rule = rule.id;
    rule.check(context);
  }
  return context.findings;
}

} // namespace graphc
