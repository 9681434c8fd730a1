// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers of tests of simulated runs.
#ifndef GRAPHC_TEST_RUNTIME_SIM_SIMPLAY_H
#define GRAPHC_TEST_RUNTIME_SIM_SIMPLAY_H

#include "runtime/sim/SimRules.h"
#include "runtime/sim/SimRun.h"
#include "test/runtime/sim/SimModels.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

namespace graphc::test {

using namespace graphc::runtime;

inline std::shared_ptr<const Model> openPlan(const ModelBuilder &builder) {
  auto model = Model::fromBytes(builder.finish(), "test");
  if (!model.isOk()) {
    ADD_FAILURE() << model.status().toString();
    std::abort();
  }
  return *model;
}

inline SimRunOptions makeRun(std::shared_ptr<const Model> plan,
                             const std::string &faults, uint64_t seed,
                             int64_t steps = 20) {
  SimRunOptions run;
  run.plan = std::move(plan);
  run.simulation.cluster = simCluster();
  auto script = FaultScript::parse(faults, "faults", run.simulation.cluster);
  EXPECT_TRUE(script.isOk()) << script.status().toString();
  run.simulation.faults = *script;
  run.simulation.seed = seed;
  // A step takes some milliseconds, so that faults come in the middle of runs.
  run.simulation.instructionNanos = 500'000;
  run.graph = "train";
  run.isTriedAgain = true;
  run.steps = steps;
  return run;
}

inline SimRunReport play(const SimRunOptions &run) {
  auto report = simulateRun(run);
  EXPECT_TRUE(report.isOk()) << report.status().toString();
  return report.isOk() ? *report : SimRunReport{};
}

inline std::string tellViolations(const SimRunReport &report) {
  std::string text;
  for (const std::string &violation : report.violations)
    text += violation + "\n";
  return text;
}

inline float asFloat(const std::vector<std::byte> &bytes) {
  float value = 0;
  if (bytes.size() == sizeof value)
    std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

} // namespace graphc::test

#endif
