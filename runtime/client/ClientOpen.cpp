// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening a cluster: tasks are found, compared and given their parts; and
// binding data.
#include "runtime/base/Suggest.h"
#include "runtime/client/ClientRun.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/format/Quote.h"
#include "runtime/protocol/Chunks.h"
#include "runtime/protocol/Handshake.h"
#include "runtime/protocol/PlanManifest.h"
#include "runtime/protocol/TaskFailure.h"

#include <algorithm>
#include <cstdio>

namespace graphc::runtime {

namespace {

using State = ClientMachine::State;

/// A task that does not answer is asked again after so long.
constexpr int64_t kRetryNanos = 100'000'000;

class OpenOperation final : public ClientOperation {
public:
  explicit OpenOperation(State &state)
      : state(state), descriptions(state.cluster.size()) {}

  void start() override {
    state.forgetRuns();
    state.goesOn = state.lastRun > 0;
    state.written.clear();
    state.isReplacing = false;
    state.lostWhileWriting = Status::ok();
    began = state.environment.nowNanos();
    deadline = began + state.options.openNanos;
    for (TaskId task : state.tasks)
      ask(task);
    if (state.tasks.empty())
      state.finish(Status::ok());
    else
      showMissing();
  }

  void onTimer(int64_t now) override {
    if (now >= deadline)
      return state.finish(Status(
          StatusCode::DeadlineExceeded,
          "no answer from " + missingTasks() + " in " + secondsText() +
              (lastFailure.empty() ? "" : " (" + lastFailure + ")") +
              "; start them, or look whether their addresses are right"));
    if (now < retry)
      return;
    retry = INT64_MAX;
    for (TaskId task : std::exchange(toAsk, {}))
      ask(task);
  }

  int64_t nextTimer() const override { return std::min(deadline, retry); }

private:
  std::string missingTasks() const {
    std::string text;
    for (TaskId task : state.tasks)
      if (descriptions[task].task().empty())
        text += (text.empty() ? "" : ", ") + state.nameOf(task);
    return text;
  }

  std::string secondsText() const {
    char text[32];
    std::snprintf(text, sizeof text, "%g s",
                  static_cast<double>(state.options.openNanos) * 1e-9);
    return text;
  }

  void showMissing() {
    std::string missing = missingTasks();
    state.status(missing.empty() ? ""
                                 : "waits for " + missing + ", for " +
                                       secondsText() + " at most");
  }

  void ask(TaskId task) {
    protocol::Request request;
    request.mutable_describe()->set_plan(state.digest);
    state.request(
        task, std::move(request),
        [this](TaskId from, const protocol::Reply &reply) {
          onDescribed(from, reply);
        },
        0);
  }

  void onDescribed(TaskId task, const protocol::Reply &reply) {
    if (reply.has_failure()) {
      Status status = toStatus(reply.failure());
      // It may start later; who may not speak with it never may.
      if (status.code() != StatusCode::Unavailable &&
          status.code() != StatusCode::DeadlineExceeded)
        return state.finish(status);
      lastFailure = status.message();
      toAsk.push_back(task);
      retry = std::min(retry, state.environment.nowNanos() + kRetryNanos);
      return;
    }
    descriptions[task] = reply.description();
    // Tasks that come late are compared as if all had answered at once.
    int64_t clock = reply.description().clock_ms();
    int64_t waited = (state.environment.nowNanos() - began) / 1'000'000;
    if (!__builtin_sub_overflow(clock, waited, &clock))
      descriptions[task].set_clock_ms(clock);
    if (descriptions[task].task().empty())
      descriptions[task].set_task("(none)");
    showMissing();
    if (missingTasks().empty())
      compare();
  }

  void compare() {
    deadline = INT64_MAX;
    std::vector<std::string> allowed = state.options.allowed;
    if (state.options.virtualGpus)
      allowed.insert(allowed.end(), {"device", "gpu"});
    std::string warnings;
    Status status =
        compareTasks(*state.plan, state.cluster, descriptions, allowed,
                     std::nullopt, &warnings, &state.tasks);
    if (!warnings.empty())
      state.environment.status(warnings);
    if (!status.isOk())
      return state.finish(status);
    noteSteps();
    for (TaskId task : state.tasks)
      if (!descriptions[task].has_plan())
        missing.insert(task);
    if (missing.empty())
      return state.finish(Status::ok());
    // Only for those that ask for it: it has the digests of all parts.
    for (TaskId task : missing)
      if (!descriptions[task].plan_allowed() && manifest.empty()) {
        StatusOr<std::string> list = makePlanManifest(*state.plan);
        if (!list.isOk())
          return state.finish(list.status());
        manifest = *list;
      }
    std::set<TaskId> toLoad = missing;
    for (TaskId task : toLoad)
      load(task);
  }

  void noteSteps() {
    std::map<TaskId, protocol::Reply::Description> byTask;
    for (TaskId task : state.tasks)
      byTask[task] = descriptions[task];
    state.noteSteps(byTask);
  }

  void load(TaskId task) {
    StatusOr<std::vector<std::byte>> part =
        makeSlice(*state.plan, state.nameOf(task));
    if (!part.isOk())
      return state.finish(part.status());
    uint64_t id = 0;
    splitIntoChunks("part", nullptr, *part, [&](protocol::Chunk chunk, bool) {
      protocol::Request request;
      protocol::Request::Load &load = *request.mutable_load();
      load.set_plan(state.digest);
      load.set_virtual_gpus(state.options.virtualGpus);
      load.set_cpu_level(state.options.cpuLevel);
      if (id == 0 && !descriptions[task].plan_allowed())
        load.set_part_list(manifest);
      *load.mutable_part() = std::move(chunk);
      if (id != 0)
        return state.sendMore(task, id, std::move(request));
      id = state.request(
          task, std::move(request),
          [this](TaskId from, const protocol::Reply &reply) {
            onLoaded(from, reply);
          },
          state.options.openNanos);
    });
  }

  void onLoaded(TaskId task, const protocol::Reply &reply) {
    if (reply.has_failure())
      return state.finish(toStatus(reply.failure()));
    missing.erase(task);
    if (missing.empty())
      state.finish(Status::ok());
  }

  State &state;
  std::vector<protocol::Reply::Description> descriptions; ///< by task
  std::set<TaskId> missing;                               ///< not loaded yet
  std::vector<TaskId> toAsk;
  int64_t began = 0, deadline = INT64_MAX, retry = INT64_MAX;
  std::string lastFailure;
  std::string manifest; ///< empty: no task has asked for it
};

/// At all tasks that read the dataset in graphs that this client may run.
class BindOperation final : public ClientOperation {
public:
  BindOperation(State &state, std::string_view dataset, std::string_view files,
                uint64_t skip, bool rewinds)
      : state(state), dataset(dataset), files(files), skip(skip),
        rewinds(rewinds) {}

  void start() override {
    state.bound = {};
    state.forgetRuns(); // they know how much of the old data is left
    StatusOr<uint32_t> number = findDataset();
    if (!number.isOk())
      return state.finish(number.status());
    std::set<TaskId> readers = readersOf(*number);
    missing = readers.size();
    if (missing == 0)
      return state.finish(Status::ok());
    for (TaskId task : readers) {
      protocol::Request request;
      protocol::Request::Bind &bind = *request.mutable_bind();
      bind.set_plan(state.digest);
      bind.set_dataset(dataset);
      bind.set_files(files);
      bind.set_seed(state.options.seed);
      bind.set_skip(skip);
      bind.set_rewinds(rewinds);
      state.request(
          task, std::move(request),
          [this](TaskId from, const protocol::Reply &reply) {
            onBound(from, reply);
          },
          state.options.openNanos); // large files take long to read
    }
  }

private:
  StatusOr<uint32_t> findDataset() const {
    std::vector<std::string> known;
    const auto &datasets = *state.plan->index().datasets();
    for (uint32_t i = 0; i < datasets.size(); ++i) {
      known.push_back(datasets.Get(i)->name()->str());
      if (known.back() == dataset)
        return i;
    }
    return notFound(
        unknownName("'" + state.plan->name() + "'", "dataset", dataset, known));
  }

  std::set<TaskId> readersOf(uint32_t number) const {
    std::set<TaskId> readers;
    for (const format::Graph *graph : *state.plan->index().graphs()) {
      const format::Instance *instance = graph->instance();
      if (instance && state.options.worker &&
          instance->worker() != *state.options.worker)
        continue;
      for (uint32_t i = 0; i < graph->programs()->size(); ++i)
        for (const format::Instruction *instruction :
             *graph->programs()->Get(i)->instructions())
          if (const format::HostCall *call = nextBatchOf(*instruction);
              call && call->index() == number)
            readers.insert(state.taskOfProgram(*graph, i));
    }
    readers.erase(kNoTask); // of other plan variants
    return readers;
  }

  void onBound(TaskId task, const protocol::Reply &reply) {
    if (reply.has_failure())
      return state.finish(toStatus(reply.failure()));
    const protocol::Reply::Bound &bound = reply.bound();
    if (!first) {
      first = task;
      state.bound = bound;
    } else if (bound.examples() != state.bound.examples()) {
      return state.finish(failedPrecondition(
          "dataset " + quote(dataset) + " has " +
          std::to_string(state.bound.examples()) + " examples at " +
          state.nameOf(*first) + ", but " + std::to_string(bound.examples()) +
          " at " + state.nameOf(task) + "; all tasks need the same files"));
    }
    if (--missing == 0)
      state.finish(Status::ok());
  }

  State &state;
  std::string dataset, files;
  uint64_t skip;
  bool rewinds;
  size_t missing = 0;
  std::optional<TaskId> first;
};

} // namespace

std::unique_ptr<ClientOperation> openOperation(State &state) {
  return std::make_unique<OpenOperation>(state);
}

std::unique_ptr<ClientOperation> bindOperation(State &state,
                                               std::string_view dataset,
                                               std::string_view files,
                                               uint64_t skip, bool rewinds) {
  return std::make_unique<BindOperation>(state, dataset, files, skip, rewinds);
}

} // namespace graphc::runtime
