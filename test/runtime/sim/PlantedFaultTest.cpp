// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulation finds faults of the protocol: this program is built with a
// link that is wrong on purpose (GRAPHC_PLANT_FAULT, see LinkReceive.cpp).
#include "test/runtime/sim/SimPlay.h"

using namespace graphc::test;

namespace {

/// The first seed at which a rule is broken; 0: none.
uint64_t findFault(const ModelBuilder &model, const char *faults) {
  auto plan = openPlan(model);
  // Without disturbances the wrong link does what a right one does.
  SimRunReport undisturbed = play(makeRun(plan, "", 1));
  EXPECT_TRUE(undisturbed.status.isOk() && undisturbed.violations.empty())
      << undisturbed.status.toString();
  for (uint64_t seed = 1; seed < 1000; ++seed) {
    SimRunReport report = play(makeRun(plan, faults, seed));
    compareRuns(report, undisturbed);
    if (!report.violations.empty())
      return seed;
  }
  return 0;
}

TEST(PlantedFault, IsFound) {
  uint64_t seed = findFault(simSyncModel(),
                            "random 2 mild within 500ms\nlink all loss 0.01 "
                            "duplicate 0.01 reorder 0.01");
  EXPECT_GT(seed, 0u);
  printf("found with seed %d\n", static_cast<int>(seed));
}

} // namespace
