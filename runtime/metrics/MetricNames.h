// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The metrics that there are. docs/monitoring.md lists them for users.
#ifndef GRAPHC_RUNTIME_METRICS_METRICNAMES_H
#define GRAPHC_RUNTIME_METRICS_METRICNAMES_H

#include "runtime/metrics/Metric.h"

#include <array>

namespace graphc::runtime::metrics {

inline constexpr std::array kSecondsBounds = {
    1e-5,   2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2,
    2.5e-2, 5e-2,   0.1,  0.25, 0.5,    1.0,  2.5,  5.0,    10.0};
inline constexpr std::array kSavingBounds = {0.001, 0.01, 0.1,  0.25, 0.5, 1.0,
                                             2.5,   5.0,  10.0, 30.0, 60.0};
inline constexpr std::array kAgeBounds = {0.0, 1.0,  2.0,  4.0,
                                          8.0, 16.0, 32.0, 64.0};

#define GRAPHC_METRIC(NAME, TEXT, KIND, ...)                                   \
  inline constexpr MetricInfo NAME = {TEXT, MetricKind::KIND, __VA_ARGS__};

// Steps of graphs, by label graph.
GRAPHC_METRIC(kSteps, "graphc_steps_total", Counter,
              "Steps of a graph that were made here")
GRAPHC_METRIC(kStepSeconds, "graphc_step_seconds", Histogram,
              "Time from the begin of a step to the begin of the next",
              kSecondsBounds)
GRAPHC_METRIC(kExamples, "graphc_examples_total", Counter,
              "Examples of the steps' batches")
GRAPHC_METRIC(kFetch, "graphc_fetch", Gauge,
              "Value of a float scalar among the fetches after the last step")
GRAPHC_METRIC(kLastStep, "graphc_last_step", Gauge,
              "Number of the graph's last step, from 1")
GRAPHC_METRIC(kWaitSeconds, "graphc_wait_seconds_total", Counter,
              "Time in which a run could not go on: for values of other tasks "
              "(values), its turn in the order of updates (update), or the "
              "begin of the next step (start)")
// Links to other tasks, by label link.
GRAPHC_METRIC(kLinkSent, "graphc_link_sent_bytes_total", Counter,
              "Bytes of values and frames to another task")
GRAPHC_METRIC(kLinkReceived, "graphc_link_received_bytes_total", Counter,
              "Bytes of values and frames from another task")
GRAPHC_METRIC(kLinkUp, "graphc_link_up", Gauge,
              "1: the other task answers; 0: it does not")
GRAPHC_METRIC(kLinkQueued, "graphc_link_queued_bytes", Gauge,
              "Bytes to another task that wait or are on the way")
GRAPHC_METRIC(kLinkLosses, "graphc_link_losses_total", Counter,
              "Times that another task was given up")
// The task as a whole.
GRAPHC_METRIC(kMemory, "graphc_memory_bytes", Gauge,
              "Memory of loaded plans: variables, and arenas of prepared runs")
GRAPHC_METRIC(kResident, "process_resident_memory_bytes", Gauge,
              "Resident memory of the process")
GRAPHC_METRIC(kStartTime, "process_start_time_seconds", Gauge,
              "Start of the process, in seconds since 1970")
GRAPHC_METRIC(kRuns, "graphc_runs", Gauge,
              "Runs at this task: that go, or are prepared")
GRAPHC_METRIC(kEarlyBytes, "graphc_early_arrival_bytes", Gauge,
              "Bytes of values that came before their step")
GRAPHC_METRIC(kPendingUpdates, "graphc_pending_updates", Gauge,
              "Reads and updates of workers that have their place in the order "
              "and are not carried out")
GRAPHC_METRIC(kStaleness, "graphc_update_staleness", Histogram,
              "Updates by how many updates old their values were, by worker",
              kAgeBounds)
GRAPHC_METRIC(kLateGradients, "graphc_late_gradients_total", Counter,
              "Gradients that came too late for their update")
GRAPHC_METRIC(kFailures, "graphc_run_failures_total", Counter,
              "Runs that ended by a failure")
// Trainings: of the client that saves.
GRAPHC_METRIC(kCheckpoints, "graphc_checkpoints_total", Counter,
              "Checkpoints that were written")
GRAPHC_METRIC(kCheckpointFailures, "graphc_checkpoint_failures_total", Counter,
              "Checkpoints that could not be written")
GRAPHC_METRIC(kCheckpointSeconds, "graphc_checkpoint_seconds", Histogram,
              "Time to write a checkpoint", kSavingBounds)
GRAPHC_METRIC(kRecoveries, "graphc_recoveries_total", Counter,
              "Times that a run went on after tasks were lost")

#undef GRAPHC_METRIC

} // namespace graphc::runtime::metrics

#endif
