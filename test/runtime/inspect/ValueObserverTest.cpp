// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Observers see the values of the steps that they want, and change nothing.
#include "runtime/inspect/ValueObserver.h"

#include "test/runtime/session/OpenModel.h"
#include "test/runtime/session/SessionModels.h"

using namespace graphc;
using namespace graphc::runtime;
using test::openModel;
using test::pointsFile;

namespace {

/// A run of some steps, with what is left of it.
struct Seen {
  std::vector<std::string> names; ///< "2 loss", in order
  std::vector<float> losses;      ///< those that were looked at
  std::vector<float> fetched;     ///< of all steps
  float weight = 0;
};

/// Keeps the observer's place for sessions that are opened before it is there.
struct Relay final : StepObserver {
  StepObserver *target = nullptr;
  bool wants(const format::Graph &graph, uint64_t step) override {
    return target && target->wants(graph, step);
  }
  Status onBegin(const StepValues &values) override {
    return target->onBegin(values);
  }
  Status onAfter(InstructionId done, bool isSeen,
                 const StepValues &values) override {
    return target->onAfter(done, isSeen, values);
  }
  Status onEnd(const StepValues &values) override {
    return target->onEnd(values);
  }
};

Seen run(const test::ModelBuilder &builder, int threads, StepRange steps,
         bool isSeen, const std::string &fetch = "loss",
         Status failure = Status::ok()) {
  Relay relay;
  SessionOptions options;
  options.threads = threads;
  options.virtualGpus = true;
  options.observer = &relay;
  std::unique_ptr<LocalSession> session = openModel(builder, options);
  const format::Graph &graph = *session->model().findGraph("train");
  Seen seen;
  ValueObserver observer(
      graph, keptValues(session->model(), graph), steps,
      [&](uint64_t step, const KeptValue &value,
          std::span<const std::byte> bytes) {
        seen.names.push_back(std::to_string(step) + " " + value.name);
        EXPECT_EQ(bytes.size(), value.type.numBytes()) << value.name;
        if (value.name == "loss") {
          seen.losses.emplace_back();
          std::memcpy(&seen.losses.back(), bytes.data(), sizeof(float));
        }
        return Status::ok();
      },
      [&](uint64_t) { return failure; });
  if (isSeen)
    relay.target = &observer;
  EXPECT_TRUE(session->initialize().isOk());
  EXPECT_TRUE(session->bindDataset("points", pointsFile()).isOk());
  StatusOr<RunOutcome> outcome =
      session->runSteps({"train", {}, {fetch}, 3}, [&](const StepView &view) {
        seen.fetched.push_back(HostTensor(view.tensor(0)).as<float>()[0]);
        return true;
      });
  EXPECT_EQ(outcome.isOk(), failure.isOk()) << outcome.status().message();
  if (StatusOr<HostTensor> weight = session->readVariable("w"); weight.isOk())
    seen.weight = weight->as<float>()[0];
  return seen;
}

TEST(ValueObserver, SeesTheStepsThatItWants) {
  Seen plain = run(test::linearModel(50), 1, {}, false);
  EXPECT_TRUE(plain.names.empty());
  Seen second = run(test::linearModel(50), 1, {.first = 2, .last = 2}, true);
  ASSERT_EQ(second.losses.size(), 1u);
  EXPECT_EQ(second.losses[0], second.fetched[1]);
  EXPECT_EQ(second.names.back(), "2 variables/w");
  for (const std::string &name : second.names)
    EXPECT_TRUE(name.starts_with("2 ")) << name;
  EXPECT_EQ(second.fetched, plain.fetched);
  EXPECT_EQ(second.weight, plain.weight);
  Seen odd = run(test::linearModel(50), 1, {.every = 2}, true);
  EXPECT_EQ(odd.losses,
            (std::vector<float>{plain.fetched[0], plain.fetched[2]}));
}

TEST(ValueObserver, OrderAndBitsAreThoseOfAnyThreads) {
  Seen plain = run(test::towersModel(2), 3, {}, false, "sum");
  Seen one = run(test::towersModel(2), 1, {}, true, "sum");
  Seen three = run(test::towersModel(2), 3, {}, true, "sum");
  EXPECT_FALSE(one.names.empty());
  EXPECT_EQ(one.names, three.names);
  EXPECT_EQ(one.fetched, plain.fetched);
  EXPECT_EQ(three.fetched, plain.fetched);
}

TEST(ValueObserver, ItsFailureEndsTheRun) {
  Seen seen = run(test::linearModel(50), 1, {.first = 2}, true, "loss",
                  permissionDenied("no room"));
  EXPECT_EQ(seen.fetched.size(), 1u);
  EXPECT_EQ(seen.losses.size(), 1u);
}

} // namespace
