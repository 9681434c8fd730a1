// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events as messages, and messages that are none.
#include "runtime/protocol/TimelineChunks.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

using Kind = TimelineEvent::Kind;

std::vector<TimelineEvent> someEvents() {
  return {{3, Kind::Run, 7, 1'000'000'000'000, 1'000'000'000'500},
          {0, Kind::Wait, 7, 999'999'999'000, 1'000'000'000'000},
          {UINT32_MAX, Kind::Arrival, UINT64_MAX, -5, -5}};
}

protocol::Reply::Timeline messageOf(const std::vector<TimelineEvent> &events) {
  protocol::Reply::Timeline message;
  putEvents(events, message);
  return message;
}

TEST(TimelineChunks, EventsComeBackAsTheyWere) {
  std::vector<TimelineEvent> events = someEvents(), back;
  protocol::Reply::Timeline message;
  ASSERT_TRUE(message.ParseFromString(messageOf(events).SerializeAsString()));
  ASSERT_TRUE(takeEvents(message, back).isOk());
  ASSERT_EQ(back.size(), events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(back[i].number, events[i].number);
    EXPECT_EQ(back[i].kind, events[i].kind);
    EXPECT_EQ(back[i].step, events[i].step);
    EXPECT_EQ(back[i].beginNanos, events[i].beginNanos);
    EXPECT_EQ(back[i].endNanos, events[i].endNanos);
  }
}

TEST(TimelineChunks, TheLargestMessageIsLessThanAMebibyte) {
  std::vector<TimelineEvent> events(kMaxTimelineEvents);
  for (size_t i = 0; i < events.size(); ++i) {
    int64_t far = int64_t(1) << 61;
    events[i] = {UINT32_MAX, Kind::Batch, UINT64_MAX, i % 2 ? far : -far,
                 i % 2 ? far : far};
  }
  EXPECT_LT(messageOf(events).SerializeAsString().size(), size_t(1) << 20);
  events.push_back(events.back());
  std::vector<TimelineEvent> back;
  EXPECT_EQ(takeEvents(messageOf(events), back).code(),
            StatusCode::InvalidArgument);
}

TEST(TimelineChunks, ColumnsThatAreNotEventsAreRefused) {
  auto expectRefused = [](auto change) {
    protocol::Reply::Timeline message = messageOf(someEvents());
    change(message);
    std::vector<TimelineEvent> back;
    EXPECT_EQ(takeEvents(message, back).code(), StatusCode::InvalidArgument);
  };
  expectRefused([](auto &message) { message.add_kinds(0); });
  expectRefused([](auto &message) { message.add_steps(0); });
  expectRefused([](auto &message) { message.mutable_begins()->Clear(); });
  expectRefused([](auto &message) { message.set_kinds(1, 6); });
  expectRefused([](auto &message) { message.set_durations(1, UINT64_MAX); });
  expectRefused([](auto &message) { message.set_durations(0, INT64_MAX); });
  expectRefused([](auto &message) {
    message.set_begins(0, INT64_MAX);
    message.set_begins(1, 1);
  });
}

} // namespace
