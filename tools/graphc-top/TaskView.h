// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task at one moment, for people: rates out of two samples of its metrics.
#ifndef GRAPHC_TOOLS_GRAPHC_TOP_TASKVIEW_H
#define GRAPHC_TOOLS_GRAPHC_TOP_TASKVIEW_H

#include "runtime/base/Status.h"
#include "runtime/protocol/cluster.pb.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphc::top {

struct GraphView {
  std::string name;
  double steps = 0, lastStep = 0;
  double stepsPerSecond = 0, examplesPerSecond = 0;
  std::optional<double> medianSeconds; ///< of the steps between the samples
  std::map<std::string, double> waits; ///< share of the time, by kind
  std::map<std::string, double> fetches;
};

struct LinkView {
  std::string to;
  bool isUp = false;
  double sent = 0, received = 0; ///< bytes
  double sentPerSecond = 0, receivedPerSecond = 0;
  double queued = 0, losses = 0;
};

enum class TaskState {
  Running, ///< steps are made
  Waiting, ///< a run goes, and waits
  Idle,    ///< no run goes
  Stopped, ///< its process is there, but does not answer
  Lost,    ///< nobody answers
  Unknown  ///< not asked yet
};

struct TaskView {
  std::string task, address;
  TaskState state = TaskState::Unknown;
  std::string reason; ///< what it waits for, or why it is lost
  std::vector<GraphView> graphs;
  std::vector<LinkView> links;
  double resident = 0, arenas = 0, variables = 0; ///< bytes
  double earlyBytes = 0, pendingUpdates = 0;
  std::optional<double> meanStaleness, maxStaleness; ///< of all updates
  double lateGradients = 0, failures = 0;

  double stepsPerSecond() const;
  double examplesPerSecond() const;
  double sentPerSecond() const;
  double receivedPerSecond() const;
  double waitShare() const;
  /// The graph with most steps lately; null: there is none.
  const GraphView *mainGraph() const;
  /// The first fetch with "loss" in its name, of mainGraph().
  std::optional<double> loss() const;
};

using Metrics = protocol::Reply::MetricList;

/// "running".
const char *stateName(TaskState state);

/// View of what a task answered. `before` null: there are no rates yet.
TaskView viewOf(const Metrics &now, const Metrics *before);

/// A task that did not answer: as it was, but for its rates.
TaskView lostView(const TaskView &before, const runtime::Status &why);

} // namespace graphc::top

#endif
