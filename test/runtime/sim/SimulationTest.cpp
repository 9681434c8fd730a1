// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole runs in a simulated cluster under faults: each ends in time, right, or
// with the right cause, and leaves nothing.
#include "test/runtime/sim/SimModels.h"
#include "test/runtime/sim/SimPlay.h"

#include <gtest/gtest.h>
#include <random>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

TEST(Simulation, ARunWithoutFaults) {
  auto plan = openPlan(simSyncModel());
  SimRunReport report = play(makeRun(plan, "", 1));
  EXPECT_TRUE(report.status.isOk()) << report.status.toString() << report.log;
  EXPECT_EQ(tellViolations(report), "");
  float w = 1;
  for (int step = 0; step < 20; ++step)
    w += 1.0f / w / w + 3.0f / w / w;
  EXPECT_EQ(asFloat(report.variables["w"]), w) << report.log;
}

TEST(Simulation, TheSameSeedGivesTheSameLog) {
  auto plan = openPlan(simSyncModel());
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SimRunOptions run = makeRun(plan, "random 4\nlink all loss 0.02", seed);
    EXPECT_EQ(play(run).log, play(run).log);
  }
  EXPECT_NE(play(makeRun(plan, "random 4", 1)).log,
            play(makeRun(plan, "random 4", 2)).log);
}

/// Runs under many seeds; `mustSurvive`: each gives what the run without faults
/// does.
void playSeeds(const ModelBuilder &model, const std::string &faults,
               uint64_t first, uint64_t count, bool mustSurvive) {
  auto plan = openPlan(model);
  SimRunReport undisturbed = play(makeRun(plan, "", 1));
  ASSERT_TRUE(undisturbed.status.isOk());
  int broken = 0;
  size_t survived = 0;
  for (uint64_t seed = first; seed < first + count && broken < 3; ++seed) {
    SimRunReport report = play(makeRun(plan, faults, seed));
    compareRuns(report, undisturbed);
    survived += report.status.isOk();
    bool isBad =
        !report.violations.empty() || (mustSurvive && !report.status.isOk());
    broken += isBad;
    EXPECT_FALSE(isBad) << "seed " << seed << ", " << faults << "\n"
                        << tellViolations(report) << report.status.toString()
                        << "\n"
                        << report.log;
  }
  EXPECT_GT(survived, count / 20);
}

TEST(Simulation, MildFaultsChangeNothing) {
  playSeeds(simSyncModel(), "random 3 mild within 500ms", 1, 500, true);
}

TEST(Simulation, LossDuplicatesAndReorderingChangeNothing) {
  playSeeds(simSyncModel(),
            "link all loss 0.02 duplicate 0.02 reorder 0.05 delay 0s..2ms", 1,
            300, true);
}

TEST(Simulation, RandomFaultsEndWell) {
  playSeeds(simSyncModel(), "random 1 within 500ms", 1, 500, false);
  playSeeds(simSyncModel(), "random 4 within 500ms", 1000, 500, false);
}

/// Lets `fault` hit each role at `points` events of the whole run; the cause is
/// right every time, and comes within `limit` once the run goes.
void playPoints(const ModelBuilder &model, const std::string &fault,
                const std::string &suffix, uint64_t points, int64_t limit) {
  auto plan = openPlan(model);
  uint64_t events = play(makeRun(plan, "", 1)).events;
  ASSERT_GT(events, points);
  const ClusterSpec cluster = simCluster();
  for (const ClusterTask &task : cluster.tasks()) {
    uint64_t failed = 0;
    for (uint64_t point = 0; point < points; ++point) {
      uint64_t event = 1 + events * point / points;
      std::string faults = "at event " + std::to_string(event) + " " + fault +
                           " " + task.name() + suffix;
      SimRunReport report = play(makeRun(plan, faults, 1));
      failed += !report.status.isOk();
      bool isLate =
          report.failedIn == "run" && report.noticedAfterNanos > limit;
      bool namesIt =
          report.status.isOk() ||
          report.status.message().find(task.name()) != std::string::npos;
      ASSERT_TRUE(report.violations.empty() && !isLate && namesIt)
          << faults << "\n"
          << tellViolations(report) << report.status.toString() << "\n"
          << report.noticedAfterNanos << "\n"
          << report.log;
    }
    EXPECT_GT(failed, points / 2);
  }
}

TEST(Simulation, ACrashAtAnyPointIsNoticedAndNamed) {
  playPoints(simSyncModel(), "crash", "", 210, 3'000'000'000);
}

TEST(Simulation, AStopAtAnyPointIsNoticedAndNamed) {
  playPoints(simSyncModel(), "stop", " for 100s", 210, 12'000'000'000);
}

TEST(Simulation, ARestartAtAnyPointIsNoticedAndNamed) {
  playPoints(simSyncModel(), "crash", " restart 20ms", 210, 3'000'000'000);
}

TEST(Simulation, StateIsNotLostSilently) {
  for (const ModelBuilder &model : {simSyncModel(), simAsyncModel()}) {
    SimRunReport report = play(makeRun(
        openPlan(model), "at step 5 crash /job:ps/task:0 restart 20ms", 1));
    EXPECT_TRUE(report.violations.empty()) << tellViolations(report);
    ASSERT_TRUE(report.wasTriedAgain);
    size_t lost = report.log.find("/job:ps/task:0 has lost the values of 'w'");
    EXPECT_NE(lost, std::string::npos) << report.log;
    EXPECT_NE(report.log.find("new clients make the values anew", lost),
              std::string::npos);
  }
  // A task without variables has none to lose.
  SimRunReport report =
      play(makeRun(openPlan(simSyncModel()),
                   "at step 5 crash /job:worker/task:0 restart 20ms", 1));
  EXPECT_TRUE(report.violations.empty()) << tellViolations(report);
  ASSERT_TRUE(report.wasTriedAgain);
  EXPECT_EQ(report.log.find("has lost the values"), std::string::npos);
}

TEST(Simulation, AsynchronousUpdatesAreAppliedOnce) {
  auto plan = openPlan(simAsyncModel());
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const char *faults = seed % 2 ? "random 3 mild within 500ms"
                                  : "link all loss 0.02 duplicate 0.05";
    SimRunReport report = play(makeRun(plan, faults, seed));
    ASSERT_TRUE(report.violations.empty() && report.status.isOk())
        << "seed " << seed << "\n"
        << tellViolations(report) << report.status.toString() << "\n"
        << report.log;
    ASSERT_EQ(asFloat(report.variables["count"]), 40.0f)
        << "seed " << seed << "\n"
        << report.log;
  }
}

TEST(Simulation, TheBoundOnStalenessHolds) {
  uint64_t most = 0;
  for (uint32_t bound : {0u, 1u, UINT32_MAX}) {
    auto plan = openPlan(simAsyncModel(bound));
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      SimRunReport report = play(makeRun(
          plan, "at 0s slow /job:worker/task:1 by 5\nrandom 2 mild", seed));
      ASSERT_TRUE(report.violations.empty() && report.status.isOk())
          << tellViolations(report) << report.status.toString() << report.log;
      ASSERT_EQ(asFloat(report.variables["count"]), 40.0f) << report.log;
      ASSERT_LE(report.mostStale, bound);
      most = std::max(most, report.mostStale);
    }
  }
  EXPECT_GT(most, 1u); // without a bound
}

// The workers that are left go on; what the lost one had begun counts once or
// not at all.
TEST(Simulation, AnAsynchronousRunOutlivesAWorker) {
  auto plan = openPlan(simAsyncModel());
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    std::string faults = "at step " + std::to_string(1 + seed % 18) +
                         " crash /job:worker/task:1";
    SimRunReport report = play(makeRun(plan, faults, seed));
    ASSERT_EQ(report.steps[0], 20) << faults << "\n" << report.log;
    ASSERT_TRUE(report.violations.empty())
        << faults << "\n"
        << tellViolations(report) << report.log;
    float updates = asFloat(report.variables["count"]);
    ASSERT_GE(updates, 20.0f + report.steps[1]);
    ASSERT_LE(updates, 20.0f + report.steps[1] + 2);
  }
}

// Two workers and a quorum of one: of two gradients for a version one is late.
TEST(Simulation, QuorumsCountEachGradientOnce) {
  for (uint32_t quorum : {1, 2}) {
    auto plan = openPlan(simQuorumModel(quorum));
    for (uint64_t seed = 1; seed <= 150; ++seed) {
      SimRunReport report =
          play(makeRun(plan, "random 2 mild within 200ms", seed));
      ASSERT_TRUE(report.violations.empty() && report.status.isOk())
          << "seed " << seed << "\n"
          << tellViolations(report) << report.status.toString() << "\n"
          << report.log;
      float updates = asFloat(report.variables["updates"]);
      ASSERT_EQ(updates * quorum + report.lateGradients, 40)
          << updates << " updates, seed " << seed << "\n"
          << report.log;
    }
  }
}

TEST(Simulation, FiftyCutsInAThousandStepsChangeNothing) {
  auto plan = openPlan(simSyncModel());
  SimRunOptions run = makeRun(plan, "", 1, 1000);
  SimRunReport undisturbed = play(run);
  std::string faults;
  std::mt19937 random(7);
  const char *const workers[] = {"/job:worker/task:0", "/job:worker/task:1"};
  for (int i = 0; i < 50; ++i)
    faults += "at step " + std::to_string(1 + random() % 1000) +
              " cut /job:ps/task:0 " + workers[random() % 2] + "\n";
  SimRunReport report = play(makeRun(plan, faults, 2, 1000));
  EXPECT_TRUE(report.status.isOk()) << report.status.toString();
  compareRuns(report, undisturbed);
  EXPECT_EQ(tellViolations(report), "");
  EXPECT_EQ(report.steps[0], 1000);
}

// Values of several frames, more than a connection takes at once.
TEST(Simulation, LargeValuesArriveWhole) {
  auto plan = openPlan(simSyncModel(800'000));
  SimRunReport undisturbed = play(makeRun(plan, "", 1, 4));
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SimRunReport report = play(makeRun(
        plan, seed % 2 ? "random 3 mild within 200ms" : "link all loss 0.02",
        seed, 4));
    EXPECT_TRUE(report.status.isOk()) << report.status.toString() << report.log;
    compareRuns(report, undisturbed);
    EXPECT_EQ(tellViolations(report), "") << "seed " << seed << report.log;
  }
}

// Its updates and those of the first would be computed from the same values.
TEST(Simulation, ASecondRunOfAGraphThatUpdatesIsRefused) {
  auto plan = openPlan(simSyncModel());
  Simulation simulation(makeRun(plan, "", 1).simulation);
  ClientMachine *clients[2];
  for (uint64_t i = 0; i < 2; ++i) {
    ClientOptions options;
    options.incarnation = i + 1;
    options.isChief = i == 0;
    clients[i] = *simulation.addClient(plan, options);
  }
  auto finish = [&](ClientMachine &client) {
    simulation.wake(&client);
    simulation.runUntil([&] { return !client.isBusy(); }, 60'000'000'000);
    return client.result().toString();
  };
  auto begin = [&](ClientMachine &client, int64_t steps) {
    ClientMachine::Run run;
    run.graph = "train";
    run.steps = steps;
    client.beginRun(run, [](uint64_t, auto) { return true; });
    simulation.wake(&client);
  };
  for (ClientMachine *client : clients) {
    client->beginOpen();
    ASSERT_EQ(finish(*client), "OK");
    client->beginInitialize();
    ASSERT_EQ(finish(*client), "OK");
  }
  begin(*clients[0], 100);
  simulation.runFor(100'000'000);
  begin(*clients[1], 5);
  EXPECT_NE(finish(*clients[1])
                .find("graph 'train' is run by another client "
                      "already"),
            std::string::npos)
      << clients[1]->result().toString();
  EXPECT_TRUE(clients[0]->isBusy());
  EXPECT_EQ(finish(*clients[0]), "OK");
  begin(*clients[1], 5);
  EXPECT_EQ(finish(*clients[1]), "OK");
}

bool saysSlow(const SimRunReport &report) {
  return report.log.find(" is slow: ") != std::string::npos;
}

// Whoever waits for a link learns which one it is.
TEST(Simulation, ASlowLinkIsNamed) {
  auto plan = openPlan(simSyncModel(800'000));
  SimRunReport undisturbed = play(makeRun(plan, "", 1, 12));
  EXPECT_FALSE(saysSlow(undisturbed)) << undisturbed.log;
  SimRunReport report = play(makeRun(
      plan, "link /job:ps/task:0 /job:worker/task:1 rate 2000000", 1, 12));
  EXPECT_TRUE(report.status.isOk()) << report.status.toString();
  compareRuns(report, undisturbed);
  EXPECT_EQ(tellViolations(report), "");
  EXPECT_NE(report.log.find("/job:ps/task:0: warning: the link to "
                            "/job:worker/task:1 is slow: 1.9 MB/s"),
            std::string::npos)
      << report.log;
}

TEST(Simulation, AllLinksSlowIsNoSlowLink) {
  auto plan = openPlan(simSyncModel(800'000));
  SimRunReport report = play(makeRun(plan, "link all rate 5000000", 1, 12));
  EXPECT_TRUE(report.status.isOk()) << report.status.toString();
  EXPECT_FALSE(saysSlow(report)) << report.log;
}

/// Runs in which tasks read values in each other's memory.
void playShared(const ModelBuilder &model, const std::string &faults,
                uint64_t count, bool mustSurvive) {
  auto plan = openPlan(model);
  SimRunReport undisturbed = play(makeRun(plan, "", 1));
  ASSERT_TRUE(undisturbed.status.isOk());
  size_t survived = 0;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    SimRunOptions run = makeRun(plan, faults, seed);
    run.simulation.hasSharedMemory = true;
    SimRunReport report = play(run);
    compareRuns(report, undisturbed);
    survived += report.status.isOk();
    EXPECT_TRUE(report.status.isOk() || !mustSurvive)
        << seed << report.status.toString();
    EXPECT_EQ(tellViolations(report), "") << "seed " << seed << report.log;
  }
  EXPECT_GT(survived, count / 20);
}

TEST(Simulation, ExposedValuesAreReadBeforeTheyChange) {
  for (auto *model : {simSyncModel, simForwardModel}) {
    playShared(model(20'000), "", 20, true);
    playShared(model(20'000), "random 3 mild within 500ms", 60, true);
    playShared(model(20'000), "link all loss 0.02 reorder 0.05 delay 0s..2ms",
               40, true);
    playShared(model(20'000), "random 4 within 500ms", 80, false);
  }
}

TEST(Simulation, ACutConversationWithTheClientIsNamed) {
  auto plan = openPlan(simSyncModel());
  for (uint64_t event = 10; event < 400; event += 10) {
    SimRunReport report = play(makeRun(plan,
                                       "at event " + std::to_string(event) +
                                           " cut client /job:worker/task:0",
                                       event));
    EXPECT_EQ(tellViolations(report), "") << report.log;
  }
}

// One that waits for a task longer than it may says for which.
TEST(Simulation, ATaskThatNeverComesIsNamed) {
  auto plan = openPlan(simSyncModel());
  SimRunReport report = play(makeRun(plan,
                                     "at 0s crash /job:ps/task:0\n"
                                     "at 50ms crash /job:ps/task:0",
                                     3));
  EXPECT_EQ(report.failedIn, "open");
  EXPECT_NE(report.status.message().find("/job:ps/task:0"), std::string::npos)
      << report.status.toString();
  EXPECT_LE(report.nanos, 61'000'000'000);
}

} // namespace
