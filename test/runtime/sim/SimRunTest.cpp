// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the judge of simulated runs: differences between runs, and faults that
// explain a failure.
#include "test/runtime/sim/SimPlay.h"

using namespace graphc::test;

namespace {

SimRunReport reportOf(std::byte w) {
  SimRunReport report;
  report.steps = {3, 4};
  report.results = 7;
  report.variables["w"] = {w};
  report.variables["v"] = {std::byte(2)};
  return report;
}

TEST(SimRun, DifferencesFromTheUndisturbedRunAreViolations) {
  const SimRunReport undisturbed = reportOf(std::byte(1));
  auto found = [&](SimRunReport report) {
    compareRuns(report, undisturbed);
    std::string text;
    for (const std::string &violation : report.violations)
      text += violation + "; ";
    return text;
  };
  EXPECT_EQ(found(reportOf(std::byte(1))), "");
  EXPECT_EQ(found(reportOf(std::byte(2))),
            "variable 'w' differs from the run without faults; ");
  SimRunReport report = reportOf(std::byte(1));
  report.variables.erase("v");
  EXPECT_EQ(found(report),
            "variable 'v' differs from the run without faults; ");
  report = reportOf(std::byte(1));
  report.steps[1] = 5;
  EXPECT_EQ(found(report),
            "it ran another number of steps than without faults; ");
  report = reportOf(std::byte(1));
  report.results = 8;
  EXPECT_EQ(found(report), "its results differ from those without faults; ");
  // Runs that failed have nothing to compare.
  report.status = unavailable("lost");
  EXPECT_EQ(found(report), "");
  SimRunReport failed = undisturbed;
  failed.status = unavailable("lost");
  report = reportOf(std::byte(2));
  compareRuns(report, failed);
  EXPECT_TRUE(report.violations.empty());
}

TEST(SimRun, FaultsThatLinksOutliveEndNoRun) {
  SimulationOptions options;
  options.links.heartbeatNanos = 1'000;
  options.links.silenceNanos = 8'000;
  options.links.reconnectNanos = 700'000'000;
  options.keepaliveNanos = 5'000;
  auto mayEnd = [&](Fault::Kind kind, int64_t forNanos, TaskId a = 0,
                    TaskId b = 1) {
    Fault fault;
    fault.kind = kind;
    fault.a = a;
    fault.b = b;
    fault.forNanos = forNanos;
    return mayEndRun(fault, options);
  };
  using Kind = Fault::Kind;
  EXPECT_TRUE(mayEnd(Kind::Crash, 0));
  EXPECT_FALSE(mayEnd(Kind::Slow, 1ll << 50));
  // A cut link dials anew; a conversation does not.
  EXPECT_FALSE(mayEnd(Kind::Cut, 499'999'999));
  EXPECT_TRUE(mayEnd(Kind::Cut, 500'000'000));
  EXPECT_TRUE(mayEnd(Kind::Cut, 0, kClientEnd));
  EXPECT_TRUE(mayEnd(Kind::Cut, 0, 0, kClientEnd));
  for (Kind kind : {Kind::Stop, Kind::Partition}) {
    EXPECT_FALSE(mayEnd(kind, 4'999));
    EXPECT_TRUE(mayEnd(kind, 5'000)); // a client's patience
  }
  options.keepaliveNanos = 50'000;
  EXPECT_FALSE(mayEnd(Kind::Stop, 5'999));
  EXPECT_TRUE(mayEnd(Kind::Stop, 6'000)); // a peer's, less two heartbeats
}

TEST(SimRun, AFailedRunIsTriedAgainWhereThatIsAsked) {
  auto plan = openPlan(simSyncModel());
  for (bool isTriedAgain : {true, false}) {
    SimRunOptions run =
        makeRun(plan, "at step 3 crash /job:worker/task:0 restart 500ms", 1);
    run.isTriedAgain = isTriedAgain;
    SimRunReport report = play(run);
    EXPECT_FALSE(report.status.isOk());
    EXPECT_EQ(report.wasTriedAgain, isTriedAgain);
    EXPECT_TRUE(report.violations.empty()) << report.violations[0];
  }
}

} // namespace
