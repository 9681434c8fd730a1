// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/WaitReporter.h"

#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/updates/UpdateQueue.h"

namespace graphc::runtime {

namespace {
constexpr int64_t kMilli = 1'000'000;

/// "model.tfir:12:3", after the module's name.
std::string placeOf(const Model &model, const format::Location *location) {
  if (!location || location->line() == 0)
    return {};
  std::string_view module = viewOf(model.index().name());
  return (module.empty() ? "model" : escape(module)) +
         ".tfir:" + std::to_string(location->line()) + ":" +
         std::to_string(location->column());
}
} // namespace

std::string WaitReporter::nameOf(TaskId task) const {
  return task < options.cluster.size() ? options.cluster.task(task).name()
                                       : "a task outside the cluster";
}

protocol::Reply::Wait WaitReporter::waitOf(TaskRun &run) const {
  protocol::Reply::Wait wait;
  wait.set_task(self);
  *wait.mutable_run() = run.id();
  const PlanGraph &graph = *run.spec().graph;
  wait.set_graph(graph.name());
  wait.set_step(run.currentStep() + 1);
  wait.set_since_ms((host.nowNanos() - run.lastProgress) / kMilli);
  if (run.phase == TaskRun::Phase::Preparing) {
    wait.set_kind("peer");
    wait.set_what("a link to " + run.lastStatus);
    wait.set_awaited_task(run.lastStatus.substr(0, run.lastStatus.find(',')));
  } else if (std::optional<uint32_t> edge = run.awaitedEdge()) {
    const format::Edge &awaited = *graph.graph->edges()->Get(*edge);
    std::string name(viewOf(awaited.name()));
    wait.set_kind("edge");
    wait.set_edge(name.empty() ? std::to_string(*edge) : escape(name));
    wait.set_awaited_task(nameOf(run.sourceOf(*edge)));
    wait.set_location(placeOf(run.spec().plan->model(), awaited.location()));
    wait.set_what("edge " + quote(wait.edge()) + " from " +
                  wait.awaited_task());
  } else if (TaskId peer = run.awaitedPeer();
             peer != kNoTask && (run.isInStep() || !run.isPaused())) {
    wait.set_kind("peer");
    wait.set_awaited_task(nameOf(peer));
    wait.set_what(nameOf(peer) + " to begin step " +
                  std::to_string(run.currentStep() + run.isInStep()));
  } else if (run.isInStep() && !run.isAtUpdate()) {
    wait.set_kind("kernel");
    wait.set_what(run.taskEngine().whereWaiting());
  } else if (run.isPaused()) {
    wait.set_kind("client");
    wait.set_what("its client to take results");
  } else if (run.followsSequence()) {
    wait.set_kind("sequence");
    wait.set_awaited_task(nameOf(run.spec().coordinator));
    wait.set_what(sequenceText(run));
  } else {
    wait.set_kind("kernel");
    wait.set_what("the next step");
  }
  return wait;
}

std::string WaitReporter::textOf(TaskRun &run) const {
  protocol::Reply::Wait wait = waitOf(run);
  std::string text = "step " + std::to_string(wait.step()) + " of graph " +
                     quote(wait.graph());
  if (wait.kind() == "edge") {
    text += " waited for edge " + quote(wait.edge());
    if (!wait.location().empty())
      text += " (" + wait.location() + ")";
    return text + " from " + wait.awaited_task();
  }
  return text + " waited for " + wait.what();
}

protocol::Failure WaitReporter::failure(TaskRun &run,
                                        const Status &status) const {
  protocol::Failure failure = toFailure(status, self);
  failure.set_step(run.currentStep() + 1);
  protocol::Reply::Wait wait = waitOf(run);
  if (!wait.edge().empty())
    failure.set_edge(wait.edge() + (wait.location().empty()
                                        ? ""
                                        : " (" + wait.location() + ")"));
  return failure;
}

protocol::Reply::WaitList WaitReporter::waits() const {
  protocol::Reply::WaitList list;
  for (const auto &[key, run] : runs)
    if (run->phase == TaskRun::Phase::Going ||
        (run->phase == TaskRun::Phase::Preparing && !run->spec().isInternal))
      *list.add_waits() = waitOf(*run);
  return list;
}

/// Of a run that is not next in the order of updates.
std::string WaitReporter::sequenceText(const TaskRun &run) const {
  std::string why = quorumText(run);
  UpdateQueue *queue = queueOf(run);
  if (why.empty() && queue && queue->sequencer())
    why = queue->sequencer()->waitsFor(
        run.spec().graph->graph->instance()->worker());
  if (!why.empty())
    return why;
  return run.isAtUpdate() ? "its turn to update variables"
                          : "its turn to read variables";
}

std::string WaitReporter::quorumText(const TaskRun &run) const {
  UpdateQueue *queue = queueOf(run);
  if (!queue || !queue->sequencer() ||
      !queue->sequencer()->waitsForQuorum(
          run.spec().graph->graph->instance()->worker()))
    return {};
  uint32_t running = 0;
  for (uint32_t worker = 0; worker < queue->workers; ++worker) {
    TaskRun *other = runs.find(queue->runOf(worker));
    running += other && other->phase == TaskRun::Phase::Going;
  }
  if (running >= queue->quorum)
    return {};
  return std::to_string(queue->quorum) + " gradients make an update of " +
         quote(queue->of) + ", but only " + std::to_string(running) +
         (running == 1 ? " worker runs" : " workers run");
}

} // namespace graphc::runtime
