// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the clocks of tasks and reads what they have recorded of a run.
#include "runtime/client/PreparedRun.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/protocol/TimelineChunks.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

using State = ClientMachine::State;

constexpr int kRoundTrips = 24;
/// Events of one task that are taken.
constexpr size_t kMaxTaskEvents = 1 << 21;
/// Time that a task has for an answer, since nothing is lost without it but a
/// part of the trace.
constexpr int64_t kAnswerNanos = 5'000'000'000;

/// Round trips with one task after the other, so that they do not wait for each
/// other here.
class ClockMeter {
public:
  explicit ClockMeter(State &state) : state(state) {}

  /// `onTask` is called when a task is measured or lost; returns true for the
  /// next.
  void start(std::vector<TaskId> asked,
             std::function<bool(TaskId, const Status &)> onTask,
             std::function<void()> whenDone) {
    tasks = std::move(asked);
    measured = std::move(onTask);
    done = std::move(whenDone);
    beginTask();
  }

private:
  void beginTask() {
    if (index == tasks.size())
      return done();
    state.clocks[tasks[index]].begin();
    left = kRoundTrips;
    ask();
  }

  void ask() {
    protocol::Request request;
    request.mutable_clock();
    sent = state.environment.nowNanos();
    state.request(
        tasks[index], std::move(request),
        [this](TaskId task, const protocol::Reply &reply) {
          onReading(task, reply);
        },
        std::min(kAnswerNanos, state.options.controlNanos));
  }

  void onReading(TaskId task, const protocol::Reply &reply) {
    int64_t arrived = state.environment.nowNanos();
    Status status;
    if (reply.has_failure())
      status = toStatus(reply.failure());
    else if (!reply.has_clock())
      status = internalError("an answer of another kind came");
    if (status.isOk()) {
      const protocol::Reply::ClockReading &clock = reply.clock();
      state.clocks[task].add(
          {sent, clock.received_nanos(), clock.sent_nanos(), arrived});
      if (--left > 0)
        return ask();
    }
    ++index;
    if (measured(task, status))
      beginTask();
  }

  State &state;
  std::vector<TaskId> tasks;
  std::function<bool(TaskId, const Status &)> measured;
  std::function<void()> done;
  size_t index = 0;
  int left = 0;
  int64_t sent = 0;
};

/// Before a run. Its failure is the run's.
class ClockOperation final : public ClientOperation {
public:
  ClockOperation(State &state, const format::Graph &graph)
      : state(state), graph(graph), meter(state) {}

  void start() override {
    std::vector<TaskId> tasks = state.tasksOf(graph);
    std::erase(tasks, kNoTask);
    state.clocks.clear();
    meter.start(
        std::move(tasks),
        [this](TaskId task, const Status &status) {
          if (!status.isOk())
            state.finish(status.annotate(state.nameOf(task))
                             .annotate("measuring the clocks for --profile"));
          return status.isOk();
        },
        [this] { state.finish(Status::ok()); });
  }

private:
  State &state;
  const format::Graph &graph;
  ClockMeter meter;
};

/// Of a run that is over. What cannot be had of some tasks is left out.
class TimelineOperation final : public ClientOperation {
public:
  TimelineOperation(State &state, const State::Recorded &run)
      : state(state), run(run), meter(state) {}

  void start() override {
    state.timeline = {};
    if (!run.graph)
      return state.finish(
          failedPrecondition("no run of the graph was recorded"));
    state.timeline.graph = run.graph->name()->str();
    for (TaskId task : run.tasks) {
      TaskTimeline &timeline = state.timeline.tasks.emplace_back();
      timeline.name = state.nameOf(task);
      timeline.tracks.resize(run.graph->programs()->size() + 2);
    }
    meter.start(
        run.tasks,
        [this](TaskId task, const Status &status) {
          timelineOf(task).lost = status;
          return true;
        },
        [this] { readAll(); });
  }

private:
  TaskTimeline &timelineOf(TaskId task) {
    return state.timeline
        .tasks[std::ranges::find(run.tasks, task) - run.tasks.begin()];
  }

  void readAll() {
    missing = 1;
    for (TaskId task : run.tasks) {
      if (!timelineOf(task).lost.isOk())
        continue;
      ++missing;
      protocol::Request request;
      *request.mutable_timeline()->mutable_run() = run.id;
      state.request(
          task, std::move(request),
          [this](TaskId from, const protocol::Reply &reply) {
            onEvents(from, reply);
          },
          state.options.controlNanos);
    }
    endOne();
  }

  void endOne() {
    if (--missing == 0)
      state.finish(Status::ok());
  }

  void onEvents(TaskId task, const protocol::Reply &reply) {
    TaskTimeline &timeline = timelineOf(task);
    if (timeline.lost.isOk() && reply.has_failure())
      timeline.lost = toStatus(reply.failure());
    else if (timeline.lost.isOk())
      timeline.lost = take(task, reply.timeline(), timeline);
    if (reply.last() || reply.has_failure())
      endOne();
  }

  Status take(TaskId task, const protocol::Reply::Timeline &message,
              TaskTimeline &timeline) {
    uint32_t programs = run.graph->programs()->size();
    if (message.track() >= timeline.tracks.size() ||
        (message.track() < programs && message.kinds_size() > 0 &&
         state.taskOfProgram(*run.graph, message.track()) != task))
      return internalError("events of a track came that the graph does not "
                           "have");
    std::vector<TimelineEvent> &track = timeline.tracks[message.track()];
    size_t before = track.size();
    GRAPHC_TRY(takeEvents(message, track));
    count += track.size() - before;
    if (count > kMaxTaskEvents * run.tasks.size())
      return resourceExhausted("more events came than are kept");
    const ClockEstimate &clock = state.clocks[task];
    for (size_t i = before; i < track.size(); ++i) {
      if (!fits(message.track(), track[i])) {
        track.resize(before);
        return internalError("an event came that the graph cannot have");
      }
      track[i].beginNanos = clock.toClient(track[i].beginNanos);
      track[i].endNanos = clock.toClient(track[i].endNanos);
    }
    timeline.dropped += message.dropped();
    timeline.errorNanos = clock.errorNanos();
    timeline.offsetNanos = clock.offsetNanos();
    return Status::ok();
  }

  /// True when the event may be on the track.
  bool fits(uint32_t track, const TimelineEvent &event) const {
    using Kind = TimelineEvent::Kind;
    const format::Graph &graph = *run.graph;
    uint32_t programs = graph.programs()->size();
    uint32_t limit = 1;
    if (track == programs + 1) {
      if (event.kind != Kind::Batch)
        return false;
      limit = state.plan->index().datasets()->size();
    } else if (track == programs) {
      if (event.kind != Kind::Step && event.kind != Kind::Gap)
        return false;
    } else {
      if (event.kind == Kind::Run || event.kind == Kind::Wait)
        limit = graph.programs()->Get(track)->instructions()->size();
      else if (event.kind == Kind::Arrival)
        limit = graph.edges() ? graph.edges()->size() : 0;
      else
        return false;
    }
    return event.number < limit;
  }

  State &state;
  const State::Recorded run;
  ClockMeter meter;
  size_t missing = 0;
  size_t count = 0; ///< of all tasks
};

} // namespace

std::unique_ptr<ClientOperation> clockOperation(State &state,
                                                const format::Graph &graph) {
  return std::make_unique<ClockOperation>(state, graph);
}

std::unique_ptr<ClientOperation> timelineOperation(State &state,
                                                   const State::Recorded &run) {
  return std::make_unique<TimelineOperation>(state, run);
}

} // namespace graphc::runtime
