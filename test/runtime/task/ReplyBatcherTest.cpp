// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests when results of steps leave a task, and the status about them.
#include "runtime/task/ReplyBatcher.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

constexpr int64_t kMilli = 1'000'000;

/// Keeps what is sent to clients.
struct Replies final : ClientChannel {
  bool canReply(ClientId client) const override {
    ++asked;
    EXPECT_EQ(client, 5u);
    return hasRoom;
  }
  void reply(ClientId client, protocol::Reply reply) override {
    EXPECT_EQ(client, 5u);
    sent.push_back(std::move(reply));
  }

  std::vector<protocol::Reply> sent;
  bool hasRoom = true;
  mutable int asked = 0;
};

protocol::RunId runId() {
  protocol::RunId id;
  id.set_client(9);
  id.set_number(3);
  return id;
}

struct Batcher {
  explicit Batcher(size_t bytes, bool lastOnly = false, int64_t now = 0)
      : value(bytes, std::byte('v')),
        batcher(5, 17, lastOnly,
                bytes == 0
                    ? std::vector<std::span<const std::byte>>()
                    : std::vector<std::span<const std::byte>>{value, value},
                now) {}
  void add(uint64_t step, int64_t now, bool isLast = false) {
    batcher.add(step, isLast, now, environment, runId());
  }
  Replies environment;
  std::vector<std::byte> value;
  ReplyBatcher batcher;
};

TEST(ReplyBatcher, StepsOfTwoMillisecondsLeaveTogether) {
  Batcher all(4, false, 1 * kMilli);
  EXPECT_EQ(all.batcher.due(), INT64_MAX);
  all.add(7, 3 * kMilli);
  EXPECT_EQ(all.batcher.due(), 5 * kMilli);
  all.add(8, 5 * kMilli - 1);
  EXPECT_TRUE(all.environment.sent.empty());
  EXPECT_EQ(all.batcher.due(), 5 * kMilli); // as of the first that waits
  all.add(9, 5 * kMilli);
  ASSERT_EQ(all.environment.sent.size(), 1u);
  const protocol::Reply &reply = all.environment.sent[0];
  EXPECT_EQ(reply.id(), 17u);
  EXPECT_FALSE(reply.last());
  EXPECT_EQ(reply.results().run().number(), 3u);
  EXPECT_EQ(reply.results().first_step(), 7u);
  EXPECT_EQ(reply.results().steps(), 3u);
  EXPECT_EQ(reply.results().values(), std::string(24, 'v'));
  EXPECT_DOUBLE_EQ(reply.results().seconds(), 4e-3);
  EXPECT_EQ(all.batcher.due(), INT64_MAX);
  // The next ones begin where these have ended.
  all.add(10, 6 * kMilli);
  all.batcher.flush(7 * kMilli, all.environment, runId());
  ASSERT_EQ(all.environment.sent.size(), 2u);
  EXPECT_EQ(all.environment.sent[1].results().first_step(), 10u);
  EXPECT_EQ(all.environment.sent[1].results().values().size(), 8u);
  EXPECT_DOUBLE_EQ(all.environment.sent[1].results().seconds(), 2e-3);
}

TEST(ReplyBatcher, ManyBytesLeaveAtOnce) {
  Batcher all(16 << 10); // two such values a step
  all.add(0, 0);
  EXPECT_TRUE(all.environment.sent.empty());
  all.add(1, 1);
  ASSERT_EQ(all.environment.sent.size(), 1u);
  EXPECT_EQ(all.environment.sent[0].results().values().size(), 64u << 10);
  Batcher less((16 << 10) - 1);
  less.add(0, 0);
  less.add(1, 1);
  EXPECT_TRUE(less.environment.sent.empty());
}

TEST(ReplyBatcher, NothingLeavesThatWasNotAskedFor) {
  Batcher none(0);
  none.add(0, 5 * kMilli, true);
  EXPECT_EQ(none.batcher.due(), INT64_MAX);
  protocol::Reply reply;
  EXPECT_FALSE(none.batcher.take(9 * kMilli, runId(), reply));
  none.batcher.flush(9 * kMilli, none.environment, runId());
  EXPECT_TRUE(none.environment.sent.empty());
  Batcher last(4, true);
  last.add(0, 1);
  EXPECT_EQ(last.batcher.due(), INT64_MAX);
  last.add(1, 2, true);
  ASSERT_TRUE(last.batcher.take(3, runId(), reply));
  EXPECT_EQ(reply.results().first_step(), 1u);
  EXPECT_EQ(reply.results().steps(), 1u);
}

TEST(ReplyBatcher, IsBlockedByItsOwnMessagesOnly) {
  Batcher all(4);
  all.environment.hasRoom = false;
  // The queue may be full of others' results: until it has sent something, this
  // one does not wait.
  EXPECT_FALSE(all.batcher.isBlocked(all.environment));
  EXPECT_EQ(all.environment.asked, 0);
  all.add(0, 0);
  all.batcher.flush(1, all.environment, runId());
  EXPECT_TRUE(all.batcher.isBlocked(all.environment));
  EXPECT_TRUE(all.batcher.isBlocked(all.environment));
  all.environment.hasRoom = true;
  EXPECT_FALSE(all.batcher.isBlocked(all.environment));
  int asked = all.environment.asked;
  EXPECT_FALSE(all.batcher.isBlocked(all.environment));
  EXPECT_EQ(all.environment.asked, asked); // until the next message
}

} // namespace
