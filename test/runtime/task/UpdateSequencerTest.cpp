// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sequence keeps the bound on staleness and the quorum's rules under all
// orders of requests, and some worker can always go on.
#include "runtime/task/updates/UpdateSequencer.h"

#include <gtest/gtest.h>
#include <optional>
#include <random>

using namespace graphc::runtime;

namespace {

std::string describe(const std::vector<SequenceEntry> &entries) {
  static const char *const kNames[] = {"read", "update", "drop", "apply"};
  std::string text;
  for (const SequenceEntry &entry : entries) {
    text += text.empty() ? "" : ", ";
    text += kNames[static_cast<uint32_t>(entry.kind)];
    if (entry.kind != SequenceOp::Apply)
      text += " " + std::to_string(entry.worker);
    text +=
        "@" + std::to_string(entry.step) + "/" + std::to_string(entry.version);
  }
  return text;
}

/// Workers that do one step after the other, as far as the sequence lets them,
/// in an order that a caller chooses; checks each entry by a second, plain
/// model.
class Workers {
public:
  enum class Phase { Idle, AskedRead, Computing, AskedUpdate };

  explicit Workers(const UpdateSequencerOptions &options)
      : options(options), order(options), all(options.workers) {}

  /// True when the worker has something to do itself.
  bool canMove(uint32_t worker) const {
    Phase phase = all[worker].phase;
    return phase == Phase::Idle || phase == Phase::Computing;
  }

  void move(uint32_t worker) {
    One &one = all[worker];
    if (one.phase == Phase::Idle) {
      one.phase = Phase::AskedRead;
      order.requestRead(worker, one.step);
      order.requestRead(worker, one.step); // a repeated request is ignored
    } else if (one.phase == Phase::Computing) {
      one.phase = Phase::AskedUpdate;
      order.requestUpdate(worker, one.step);
      order.requestUpdate(worker, one.step);
    }
    accept(order.take());
  }

  void forget(uint32_t worker) {
    order.forget(worker);
    all[worker].phase = Phase::Idle;
    all[worker].read.reset();
    EXPECT_EQ(order.nextStep(worker), all[worker].step);
    accept(order.take());
  }

  /// Someone has something to do: nobody waits in a circle.
  void expectNotStuck() const {
    for (uint32_t i = 0; i < all.size(); ++i)
      if (canMove(i))
        return;
    std::string text;
    for (uint32_t i = 0; i < all.size(); ++i)
      text += order.waitsFor(i) + "; ";
    ADD_FAILURE() << "all wait: " << text;
  }

  void expectReasons() const {
    for (uint32_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(canMove(i), order.waitsFor(i).empty());
  }

  uint64_t updates = 0, drops = 0, applies = 0;

  UpdateSequencerOptions options;
  UpdateSequencer order;

private:
  struct One {
    Phase phase = Phase::Idle;
    uint64_t step = 0;
    std::optional<uint64_t> read;
    std::optional<uint64_t> given; ///< version that got its last gradient
  };

  void accept(const std::vector<SequenceEntry> &entries) {
    for (const SequenceEntry &entry : entries) {
      ASSERT_EQ(entry.version, version) << describe(entries);
      if (entry.kind == SequenceOp::Apply) {
        ++applies;
        ASSERT_EQ(gradients, options.quorum);
        gradients = 0;
        ++version;
        ASSERT_EQ(entry.step, version);
        continue;
      }
      ASSERT_LT(entry.worker, all.size());
      One &one = all[entry.worker];
      ASSERT_EQ(entry.step, one.step) << "each step once, in order";
      if (entry.kind == SequenceOp::Read) {
        ASSERT_EQ(one.phase, Phase::AskedRead);
        if (options.quorum > 0 && all.size() >= options.quorum)
          ASSERT_NE(one.given, version) << "it has given its gradient";
        one.phase = Phase::Computing;
        one.read = version;
        continue;
      }
      ASSERT_EQ(one.phase, Phase::AskedUpdate);
      uint64_t age = version - *one.read;
      if (options.staleness && options.quorum == 0)
        ASSERT_LE(age, *options.staleness);
      one.phase = Phase::Idle;
      one.read.reset();
      ++one.step;
      if (options.quorum > 0)
        ASSERT_EQ(entry.kind == SequenceOp::Drop, age > 0);
      else
        ASSERT_EQ(entry.kind, SequenceOp::Update);
      if (entry.kind == SequenceOp::Drop) {
        ++drops;
        continue;
      }
      ++updates;
      one.given = version;
      if (options.quorum > 0)
        ASSERT_LE(++gradients, options.quorum);
      else
        ++version;
    }
    ASSERT_EQ(order.version(), version);
    ASSERT_EQ(order.lateGradients(), drops);
  }

  std::vector<One> all;
  uint64_t version = 0;
  uint32_t gradients = 0;
};

void playRandomly(const UpdateSequencerOptions &options, uint32_t seed,
                  bool isForgetting) {
  std::mt19937 random(seed);
  Workers workers(options);
  for (int i = 0; i < 400 && !testing::Test::HasFatalFailure(); ++i) {
    uint32_t worker = random() % options.workers;
    if (isForgetting && random() % 16 == 0)
      workers.forget(worker);
    else if (workers.canMove(worker))
      workers.move(worker);
    workers.expectNotStuck();
    workers.expectReasons();
  }
  EXPECT_GT(workers.updates, 400u / 8 / options.workers);
  uint64_t counted = 0;
  for (uint32_t i = 0; i < options.workers; ++i)
    for (uint64_t count : workers.order.staleness(i))
      counted += count;
  EXPECT_EQ(counted, workers.updates);
}

TEST(UpdateSequencer, TheBoundHoldsAndNobodyIsStuck) {
  for (uint32_t count = 2; count <= 5; ++count)
    for (uint32_t bound = 0; bound <= 4; ++bound)
      for (uint32_t seed = 0; seed < 25; ++seed)
        playRandomly({.workers = count, .staleness = bound}, seed, seed & 1);
}

TEST(UpdateSequencer, WithoutABoundEveryRequestIsGranted) {
  for (uint32_t seed = 0; seed < 25; ++seed) {
    Workers workers({.workers = 3});
    std::mt19937 random(seed);
    for (int i = 0; i < 300; ++i) {
      uint32_t worker = random() % 3;
      ASSERT_TRUE(workers.canMove(worker));
      workers.move(worker);
    }
  }
}

/// All orders of requests of three workers over a few requests each.
void playAll(const UpdateSequencerOptions &options,
             std::vector<uint32_t> &schedule, int depth) {
  Workers workers(options);
  for (uint32_t worker : schedule)
    workers.move(worker);
  workers.expectNotStuck();
  workers.expectReasons();
  if (depth == 0 || testing::Test::HasFailure())
    return;
  for (uint32_t i = 0; i < options.workers; ++i)
    if (workers.canMove(i)) {
      schedule.push_back(i);
      playAll(options, schedule, depth - 1);
      schedule.pop_back();
    }
}

TEST(UpdateSequencer, AllOrdersOfThreeWorkers) {
  std::vector<uint32_t> schedule;
  for (uint32_t bound = 0; bound <= 2; ++bound)
    playAll({.workers = 3, .staleness = bound}, schedule, 8);
  for (uint32_t quorum = 1; quorum <= 3; ++quorum)
    playAll({.workers = 3, .quorum = quorum}, schedule, 8);
}

TEST(UpdateSequencer, QuorumsUnderRandomOrders) {
  for (uint32_t count = 1; count <= 5; ++count)
    for (uint32_t quorum = 1; quorum <= count; ++quorum)
      for (uint32_t seed = 0; seed < 20; ++seed)
        playRandomly({.workers = count, .quorum = quorum}, seed, false);
}

TEST(UpdateSequencer, AWorkerMayLeaveAQuorumThatTheOthersStillReach) {
  Workers workers({.workers = 3, .quorum = 2});
  for (int i = 0; i < 30; ++i) {
    for (uint32_t worker : {0, 1})
      if (workers.canMove(worker))
        workers.move(worker);
    if (i == 3)
      workers.move(2);
    if (i == 10)
      workers.forget(2);
  }
  EXPECT_EQ(workers.drops, 0u);
  EXPECT_EQ(workers.applies, 15u);
}

// The example of two accepted gradients and a late one, twice.
TEST(UpdateSequencer, TheThirdOfThreeIsLate) {
  UpdateSequencer order({.workers = 3, .quorum = 2});
  for (uint32_t worker : {0, 1, 2})
    order.requestRead(worker, 0);
  EXPECT_EQ(describe(order.take()), "read 0@0/0, read 1@0/0, read 2@0/0");
  order.requestUpdate(0, 0);
  order.requestUpdate(2, 0);
  EXPECT_EQ(describe(order.take()), "update 0@0/0, update 2@0/0, apply@1/0");
  order.requestUpdate(1, 0);
  EXPECT_EQ(describe(order.take()), "drop 1@0/1");
  for (uint32_t worker : {0, 1, 2})
    order.requestRead(worker, 1);
  EXPECT_EQ(describe(order.take()), "read 0@1/1, read 1@1/1, read 2@1/1");
  order.requestUpdate(0, 1);
  order.requestUpdate(1, 1);
  EXPECT_EQ(describe(order.take()), "update 0@1/1, update 1@1/1, apply@2/1");
  EXPECT_EQ(order.lateGradients(), 1u);
}

TEST(UpdateSequencer, AContributorWaitsForTheUpdate) {
  UpdateSequencer order({.workers = 2, .quorum = 2});
  order.requestRead(0, 0);
  order.take();
  order.requestUpdate(0, 0);
  order.requestRead(0, 1);
  EXPECT_EQ(describe(order.take()), "update 0@0/0");
  EXPECT_EQ(order.waitsFor(0), "the update of version 0 has 1 of 2 gradients");
  order.requestRead(1, 0);
  order.take();
  order.requestUpdate(1, 0);
  EXPECT_EQ(describe(order.take()), "update 1@0/0, apply@1/0, read 0@1/1");
}

TEST(UpdateSequencer, FewerWorkersThanTheQuorumGiveSeveralGradients) {
  UpdateSequencer order({.workers = 1, .quorum = 2});
  std::string text;
  for (uint64_t step : {0, 1, 2}) {
    order.requestRead(0, step);
    text += describe(order.take()) + "; ";
    order.requestUpdate(0, step);
    text += describe(order.take()) + "; ";
  }
  EXPECT_EQ(text, "read 0@0/0; update 0@0/0; read 0@1/0; update 0@1/0, "
                  "apply@1/0; read 0@2/1; update 0@2/1; ");
}

TEST(UpdateSequencer, TheOldestIsNamed) {
  UpdateSequencer order({.workers = 2, .staleness = 1});
  order.requestRead(0, 0);
  order.requestRead(1, 0);
  order.requestUpdate(1, 0);
  order.take();
  order.requestUpdate(1, 0);
  order.requestRead(1, 1);
  EXPECT_EQ(describe(order.take()), "update 1@0/0, read 1@1/1");
  order.requestUpdate(1, 1);
  EXPECT_EQ(describe(order.take()), "");
  EXPECT_EQ(order.waitsFor(1),
            "worker 0, whose values are 1 update old, must update first");
  order.requestUpdate(0, 0);
  EXPECT_EQ(describe(order.take()), "update 0@0/1, update 1@1/2");
}

TEST(UpdateSequencer, NothingIsSequencedTwice) {
  UpdateSequencer order({.workers = 2});
  order.requestUpdate(0, 0); // without a read
  EXPECT_EQ(describe(order.take()), "");
  order.requestRead(0, 0);
  EXPECT_EQ(describe(order.take()), "read 0@0/0");
  order.requestRead(0, 0);
  order.requestUpdate(0, 7); // another step than was read
  EXPECT_EQ(describe(order.take()), "");
  order.requestUpdate(0, 0);
  EXPECT_EQ(describe(order.take()), "update 0@0/0");
  order.requestUpdate(0, 0);
  order.requestRead(0, 0);
  order.requestRead(5, 0); // no such worker
  order.forget(5);
  EXPECT_EQ(describe(order.take()), "");
  EXPECT_EQ(order.nextStep(0), 1u);
  order.forget(0);
  order.requestRead(0, 0); // done before it left
  EXPECT_EQ(describe(order.take()), "");
  order.requestRead(0, 1);
  order.forget(0);
  EXPECT_EQ(describe(order.take()), "");
}

TEST(UpdateSequencer, AForgottenReadBlocksNobody) {
  UpdateSequencer order({.workers = 2, .staleness = 0});
  order.requestRead(0, 0);
  order.requestRead(1, 0);
  EXPECT_EQ(describe(order.take()), "read 0@0/0");
  EXPECT_FALSE(order.waitsFor(1).empty());
  order.forget(0);
  EXPECT_EQ(describe(order.take()), "read 1@0/0");
  order.requestRead(0, 0);
  order.requestUpdate(1, 0);
  EXPECT_EQ(describe(order.take()), "update 1@0/0, read 0@0/1");
}

} // namespace
