// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session that loses tasks at chosen steps, and a run over it.
#ifndef GRAPHC_TEST_RUNTIME_SESSION_LOSSYSESSION_H
#define GRAPHC_TEST_RUNTIME_SESSION_LOSSYSESSION_H

#include "runtime/session/CheckpointedRun.h"
#include "test/runtime/session/TrainingRuns.h"

namespace graphc::test {

/// A session whose tasks are lost after some steps of its graph.
class LossySession : public Session {
public:
  explicit LossySession(LocalSession &inner) : inner(inner) {}

  const Model &model() const override { return inner.model(); }
  bool hasTasks() const override { return true; }
  StatusOr<const format::Graph *>
  chooseGraph(std::string_view name) const override {
    return inner.chooseGraph(name);
  }
  Status checkRequest(const RunRequest &request) const override {
    return inner.checkRequest(request);
  }
  StatusOr<BoundData> bindDataset(std::string_view name,
                                  std::string_view files) override {
    return inner.bindDataset(name, files);
  }
  StatusOr<BoundData> rewindDataset(std::string_view name) override {
    return inner.rewindDataset(name);
  }
  Status initialize(bool isAnew) override {
    ++initialized;
    wasAnew = isAnew;
    return initialized > 1 ? Status::ok() : inner.initialize();
  }
  bool madeFirstValues() const override { return inner.madeFirstValues(); }
  StatusOr<RunOutcome> runSteps(const RunRequest &request,
                                const StepCallback &onStep,
                                std::optional<uint64_t> firstStep) override {
    limits.push_back(request.untilNanos.value_or(0));
    bool isLost = false;
    auto outcome = inner.runSteps(
        request,
        [&](const StepView &view) {
          isLost = !lossesAfter.empty() && view.step() == lossesAfter.front();
          if (!isLost)
            return onStep(view);
          lossesAfter.erase(lossesAfter.begin());
          return false;
        },
        firstStep);
    return isLost ? StatusOr<RunOutcome>(loss) : outcome;
  }
  Status prepareSteps(const RunRequest &) override {
    isPrepared = true;
    return Status::ok();
  }
  void endRuns() override { ++ended; }
  int64_t deadlineNanos() const override { return 3'600'000'000'000; }
  StatusOr<HostTensor> readVariable(std::string_view name) override {
    return inner.readVariable(name);
  }
  Status writeVariable(std::string_view name,
                       const HostTensor &value) override {
    return inner.writeVariable(name, value);
  }
  StatusOr<std::unique_ptr<StateCapture>> capture() override {
    return inner.capture();
  }
  Status restore(const TensorReader &checkpoint, bool isPartial) override {
    ++loaded;
    return inner.restore(checkpoint, isPartial);
  }
  GraphPosition position(const std::string &graph) const override {
    return inner.position(graph);
  }
  void setPosition(const std::string &graph,
                   const GraphPosition &position) override {
    inner.setPosition(graph, position);
  }
  Status recover() override {
    ++recovered;
    return recovery;
  }
  Status goOn(const std::string &) override {
    ++wentOn;
    return Status::ok();
  }
  bool endedWithinStep(const std::string &) const override { return isTorn; }
  std::string tasksBehind(const std::string &) const override {
    return "task 1: step 4";
  }

  Steps lossesAfter;
  Status loss = unavailable("task 1 was lost");
  Status recovery;
  bool isTorn = false, isPrepared = false, wasAnew = false;
  int initialized = 0, loaded = 0, recovered = 0, wentOn = 0, ended = 0;
  std::vector<int64_t> limits; ///< of all calls of runSteps

private:
  LocalSession &inner;
};

/// A run of ten steps with checkpoints, and all that is known about it.
struct Lossy {
  explicit Lossy(Steps lossesAfter) : inner(openLinear()), session(*inner) {
    session.lossesAfter = std::move(lossesAfter);
    options.file = newFile("lossy.safetensors");
    options.everySteps = 3;
    options.recoveries = 2;
    options.note = [this](const std::string &text) { notes += text + "\n"; };
  }
  StatusOr<RunOutcome> run(uint64_t last = UINT64_MAX) {
    steps.emplace(session, options);
    GRAPHC_TRY(steps->initialize("train"));
    return steps->runSteps(training(10), keep(losses, last));
  }

  std::unique_ptr<LocalSession> inner;
  LossySession session;
  CheckpointOptions options;
  std::optional<CheckpointedRun> steps;
  Losses losses;
  std::string notes;
};

} // namespace graphc::test

#endif
