// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests which requests run, how they are closed, and those that wait.
#include "runtime/task/OpenRequests.h"

#include "runtime/task/WaitingRequests.h"
#include "test/runtime/task/FakeEnvironment.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

struct Requests {
  FakeClients clients;
  OpenRequests open{clients, "/job:ps/task:0"};
};

TEST(OpenRequests, TheLastReplyClosesARequest) {
  Requests all;
  all.open.open({5, 1});
  all.open.open({5, 2});
  all.open.done({5, 1});
  EXPECT_FALSE(all.open.isOpen({5, 1}));
  EXPECT_TRUE(all.open.isOpen({5, 2}));
  ASSERT_EQ(all.clients.sent.size(), 1u);
  EXPECT_EQ(all.clients.sent[0].first, 5u);
  EXPECT_EQ(all.clients.last().id(), 1u);
  EXPECT_TRUE(all.clients.last().last());
  EXPECT_FALSE(all.clients.last().has_failure());
}

TEST(OpenRequests, AFailureNamesTheTask) {
  Requests all;
  all.open.open({5, 1});
  all.open.fail({5, 1}, notFound("no such plan"));
  EXPECT_EQ(all.open.size(), 0u);
  const protocol::Reply &reply = all.clients.last();
  EXPECT_TRUE(reply.last());
  EXPECT_EQ(reply.failure().task(), "/job:ps/task:0");
  EXPECT_EQ(reply.failure().message(), "no such plan");
  EXPECT_EQ(reply.failure().code(), static_cast<int>(StatusCode::NotFound));
}

TEST(OpenRequests, StatusAndRefusalLeaveARequestOpen) {
  Requests all;
  all.open.open({5, 1});
  all.open.status({5, 1}, "waits");
  EXPECT_EQ(all.clients.last().status(), "waits");
  EXPECT_FALSE(all.clients.last().last());
  all.open.refuse({5, 1}, invalidArgument("request 1 still runs"));
  EXPECT_FALSE(all.clients.last().last());
  EXPECT_TRUE(all.clients.last().has_failure());
  EXPECT_TRUE(all.open.isOpen({5, 1}));
}

TEST(OpenRequests, AClientThatHasGoneIsToldNothing) {
  Requests all;
  all.open.open({5, 1});
  all.open.open({6, 1});
  all.open.dropClient(5);
  EXPECT_FALSE(all.open.isOpen({5, 1}));
  all.open.failAll({});
  ASSERT_EQ(all.clients.sent.size(), 1u);
  EXPECT_EQ(all.clients.sent[0].first, 6u);
  EXPECT_EQ(all.open.size(), 0u);
}

struct Entry {
  RequestKey key;
  int64_t deadline = INT64_MAX;
};

std::vector<uint64_t> ids(const auto &entries) {
  std::vector<uint64_t> found;
  for (const Entry &entry : entries)
    found.push_back(entry.key.id);
  return found;
}

TEST(WaitingRequests, KeepTheirOrder) {
  WaitingRequests<Entry> waiting;
  for (uint64_t id : {3, 1, 4, 2})
    waiting.add({{5, id}});
  auto isOdd = [](const Entry &entry) { return entry.key.id % 2 == 1; };
  EXPECT_EQ(ids(waiting.take(isOdd)), (std::vector<uint64_t>{3, 1}));
  EXPECT_EQ(ids(waiting), (std::vector<uint64_t>{4, 2}));
}

TEST(WaitingRequests, ExpireAtTheirDeadlines) {
  WaitingRequests<Entry> waiting;
  EXPECT_EQ(waiting.nextDeadline(), INT64_MAX);
  waiting.add({{5, 1}, 300});
  waiting.add({{5, 2}, 200});
  waiting.add({{6, 3}});
  EXPECT_EQ(waiting.nextDeadline(), 200);
  EXPECT_TRUE(waiting.takeExpired(199).empty());
  EXPECT_EQ(ids(waiting.takeExpired(200)), (std::vector<uint64_t>{2}));
  waiting.dropClient(5);
  EXPECT_EQ(waiting.nextDeadline(), INT64_MAX);
  EXPECT_EQ(ids(waiting), (std::vector<uint64_t>{3}));
}

} // namespace
