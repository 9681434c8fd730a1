// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what of a task nothing counts as it happens: memory, queues, ages.
#include "runtime/metrics/MetricNames.h"
#include "runtime/task/TaskState.h"
#include "runtime/task/counts/TaskMetrics.h"

namespace graphc::runtime {

protocol::Reply::MetricList TaskMachine::State::metrics() const {
  protocol::Reply::MetricList list;
  int64_t now = environment.host.nowNanos();
  if (environment.metrics)
    addFamilies(environment.metrics->registry().collect(), list);
  list.set_taken_ms((now - startedAt) / 1'000'000);
  list.set_incarnation(options.incarnation);
  *list.mutable_waits() = board.waits(self, now).waits();
  return list;
}

void TaskMachine::State::measure() {
  if (!environment.metrics)
    return;
  MetricRegistry &registry = environment.metrics->registry();
  double early = 0, going = 0, prepared = 0, arenas = 0, variableBytes = 0;
  for (const auto &[key, run] : runs) {
    early += static_cast<double>(run->earlyBytes());
    going += run->phase == TaskRun::Phase::Going && !run->spec().isInternal;
    prepared += run->phase == TaskRun::Phase::Ready && !run->spec().isInternal;
  }
  for (const auto &[digest, plan] : plans) {
    arenas += static_cast<double>(plan->arenaBytes());
    variableBytes += static_cast<double>(plan->variableBytes());
  }
  registry.value(metrics::kEarlyBytes).set(early);
  registry.value(metrics::kRuns, {{"state", "going"}}).set(going);
  registry.value(metrics::kRuns, {{"state", "prepared"}}).set(prepared);
  registry.value(metrics::kMemory, {{"kind", "arena"}}).set(arenas);
  registry.value(metrics::kMemory, {{"kind", "variables"}}).set(variableBytes);
  measureUpdates();
}

/// Staleness is counted by the sequencer; what is new of it joins the metrics.
void TaskMachine::State::measureUpdates() {
  MetricRegistry &registry = environment.metrics->registry();
  std::erase_if(countedAges, [&](const auto &entry) {
    return !plans.contains(std::get<0>(entry.first));
  });
  for (const auto &[digest, plan] : plans)
    for (UpdateQueue *queue : plan->queues()) {
      MetricLabels labels = {{"graph", queue->of}};
      registry.value(metrics::kPendingUpdates, labels)
          .set(static_cast<double>(queue->entries.size()));
      const UpdateSequencer *sequencer = queue->sequencer();
      if (!sequencer)
        continue;
      registry.value(metrics::kLateGradients, labels)
          .set(static_cast<double>(sequencer->lateGradients()));
      for (uint32_t worker = 0; worker < queue->workers; ++worker) {
        const std::vector<uint64_t> &ages = sequencer->staleness(worker);
        std::vector<uint64_t> &counted =
            countedAges[{digest, queue->of, worker}];
        labels["worker"] = std::to_string(worker);
        MetricHistogram &histogram =
            registry.histogram(metrics::kStaleness, labels);
        counted.resize(ages.size());
        for (size_t age = 0; age < ages.size(); ++age)
          if (ages[age] > counted[age])
            histogram.observe(static_cast<double>(age),
                              ages[age] - counted[age]);
        counted = ages;
      }
    }
}

void TaskMachine::measure() { state->measure(); }

protocol::Reply::MetricList TaskMachine::metrics() const {
  return state->metrics();
}

} // namespace graphc::runtime
