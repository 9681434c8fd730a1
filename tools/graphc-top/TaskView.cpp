// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-top/TaskView.h"

#include "runtime/base/Texts.h"
#include "tools/graphc-top/MetricIndex.h"

#include <algorithm>

namespace graphc::top {

using namespace runtime;

namespace {

GraphView graphView(const MetricIndex &index, const std::string &name) {
  MetricIndex::Labels of = {{"graph", name}};
  GraphView graph;
  graph.name = name;
  graph.steps = index.value("graphc_steps_total", of);
  graph.lastStep = index.value("graphc_last_step", of);
  graph.stepsPerSecond = index.rate("graphc_steps_total", of);
  graph.examplesPerSecond = index.rate("graphc_examples_total", of);
  graph.medianSeconds = index.median("graphc_step_seconds", of);
  for (const std::string &kind :
       index.labelValues("graphc_wait_seconds_total", "kind"))
    graph.waits[kind] =
        std::clamp(index.rate("graphc_wait_seconds_total",
                              {{"graph", name}, {"kind", kind}}),
                   0.0, 1.0);
  for (const std::string &fetch :
       index.labelValues("graphc_fetch", "fetch", of))
    graph.fetches[fetch] =
        index.value("graphc_fetch", {{"graph", name}, {"fetch", fetch}});
  return graph;
}

LinkView linkView(const MetricIndex &index, const std::string &to) {
  MetricIndex::Labels of = {{"link", to}};
  LinkView link;
  link.to = to;
  link.isUp = index.value("graphc_link_up", of) > 0;
  link.sent = index.value("graphc_link_sent_bytes_total", of);
  link.received = index.value("graphc_link_received_bytes_total", of);
  link.sentPerSecond = index.rate("graphc_link_sent_bytes_total", of);
  link.receivedPerSecond = index.rate("graphc_link_received_bytes_total", of);
  link.queued = index.value("graphc_link_queued_bytes", of);
  link.losses = index.value("graphc_link_losses_total", of);
  return link;
}

template <typename Items, typename Get>
double sumOf(const Items &items, Get get) {
  double sum = 0;
  for (const auto &item : items)
    sum += get(item);
  return sum;
}

} // namespace

const char *stateName(TaskState state) {
  switch (state) {
  case TaskState::Running:
    return "running";
  case TaskState::Waiting:
    return "waiting";
  case TaskState::Idle:
    return "idle";
  case TaskState::Stopped:
    return "stopped";
  case TaskState::Lost:
    return "lost";
  case TaskState::Unknown:
    break;
  }
  return "unknown";
}

double TaskView::stepsPerSecond() const {
  return sumOf(graphs,
               [](const GraphView &graph) { return graph.stepsPerSecond; });
}

double TaskView::examplesPerSecond() const {
  return sumOf(graphs,
               [](const GraphView &graph) { return graph.examplesPerSecond; });
}

double TaskView::sentPerSecond() const {
  return sumOf(links, [](const LinkView &link) { return link.sentPerSecond; });
}

double TaskView::receivedPerSecond() const {
  return sumOf(links,
               [](const LinkView &link) { return link.receivedPerSecond; });
}

double TaskView::waitShare() const {
  double most = 0; // runs wait side by side
  for (const GraphView &graph : graphs)
    most = std::max(
        most, sumOf(graph.waits, [](const auto &wait) { return wait.second; }));
  return std::min(most, 1.0);
}

const GraphView *TaskView::mainGraph() const {
  auto found = std::ranges::max_element(
      graphs, [](const GraphView &a, const GraphView &b) {
        return std::pair(a.stepsPerSecond, a.steps) <
               std::pair(b.stepsPerSecond, b.steps);
      });
  return found == graphs.end() ? nullptr : &*found;
}

std::optional<double> TaskView::loss() const {
  const GraphView *graph = mainGraph();
  if (!graph)
    return std::nullopt;
  for (const auto &[name, value] : graph->fetches)
    if (name.find("loss") != std::string::npos)
      return value;
  return std::nullopt;
}

TaskView viewOf(const Metrics &now, const Metrics *before) {
  MetricIndex index(now, before);
  TaskView view;
  for (const std::string &name :
       index.labelValues("graphc_steps_total", "graph"))
    view.graphs.push_back(graphView(index, name));
  for (const std::string &to : index.labelValues("graphc_link_up", "link"))
    view.links.push_back(linkView(index, to));
  view.resident = index.value("process_resident_memory_bytes", {});
  view.arenas = index.value("graphc_memory_bytes", {{"kind", "arena"}});
  view.variables = index.value("graphc_memory_bytes", {{"kind", "variables"}});
  view.earlyBytes = index.value("graphc_early_arrival_bytes", {});
  view.pendingUpdates = index.sum("graphc_pending_updates");
  view.lateGradients = index.sum("graphc_late_gradients_total");
  view.failures = index.sum("graphc_run_failures_total");
  view.meanStaleness = index.mean("graphc_update_staleness");
  view.maxStaleness = index.largestBound("graphc_update_staleness");
  bool goes = index.value("graphc_runs", {{"state", "going"}}) > 0;
  bool isStepping = view.stepsPerSecond() > 0;
  for (const auto &wait : now.waits())
    if (view.reason.empty() && !isStepping) {
      view.reason = escape(wait.what());
      if (wait.since_ms() > 0)
        view.reason += ", for " + std::to_string(wait.since_ms() / 1000) + " s";
    }
  view.state = isStepping             ? TaskState::Running
               : !view.reason.empty() ? TaskState::Waiting
               : goes                 ? TaskState::Running
                                      : TaskState::Idle;
  return view;
}

TaskView lostView(const TaskView &before, const Status &why) {
  TaskView view = before;
  view.state = why.code() == StatusCode::DeadlineExceeded ? TaskState::Stopped
                                                          : TaskState::Lost;
  view.reason = escape(why.message());
  for (GraphView &graph : view.graphs) {
    graph.stepsPerSecond = graph.examplesPerSecond = 0;
    graph.medianSeconds.reset();
    graph.waits.clear();
  }
  for (LinkView &link : view.links) {
    link.sentPerSecond = link.receivedPerSecond = 0;
    link.isUp = false;
  }
  return view;
}

} // namespace graphc::top
