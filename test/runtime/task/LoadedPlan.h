// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan as a task keeps it, without the task.
#ifndef GRAPHC_TEST_RUNTIME_TASK_LOADEDPLAN_H
#define GRAPHC_TEST_RUNTIME_TASK_LOADEDPLAN_H

#include "runtime/task/runs/TaskRun.h"
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/FakeEnvironment.h"

#include <gtest/gtest.h>
#include <memory>

namespace graphc::test {

/// The part of one task, the first unless `self` says otherwise, of a cluster
/// of two workers.
struct LoadedPlan {
  explicit LoadedPlan(const ModelBuilder &builder, runtime::TaskId self = 0)
      : own(std::make_unique<FakeEnvironment>()), environment(*own),
        self(self) {
    load(builder);
  }
  /// Of a task that has other plans, too.
  LoadedPlan(const ModelBuilder &builder, FakeEnvironment &environment)
      : environment(environment) {
    load(builder);
  }
  LoadedPlan(const LoadedPlan &) = delete;
  ~LoadedPlan() {
    if (plan)
      plan->dropEngines(environment.peers);
  }

  std::unique_ptr<runtime::TaskRun> makeRun(runtime::RunKey key,
                                            std::string_view graph) {
    return std::make_unique<runtime::TaskRun>(makeSpec(key, graph),
                                              environment.environment());
  }
  runtime::TaskRunSpec makeSpec(runtime::RunKey key, std::string_view graph) {
    runtime::TaskRunSpec spec;
    spec.key = key;
    spec.plan = plan.get();
    spec.graph = plan->findGraph(graph);
    spec.self = self;
    return spec;
  }

  runtime::ClusterSpec cluster = makeCluster(0, 2);
  std::unique_ptr<FakeEnvironment> own;
  FakeEnvironment &environment;
  runtime::TaskId self = 0;
  std::unique_ptr<runtime::PlanState> plan;

private:
  void load(const ModelBuilder &builder) {
    auto model = runtime::Model::fromBytes(builder.finish(), "test.bin");
    ASSERT_TRUE(model.isOk()) << model.status().toString();
    runtime::PlanOptions options;
    options.cluster = &cluster;
    options.self = self;
    options.threads = 1;
    auto made = runtime::PlanState::create(*model, "", options);
    ASSERT_TRUE(made.isOk()) << made.status().toString();
    plan = std::move(*made);
  }
};

} // namespace graphc::test

#endif
