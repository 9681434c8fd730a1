// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A server's handler that answers at once and remembers what came.
#ifndef GRAPHC_TEST_RUNTIME_RPC_FAKEHANDLER_H
#define GRAPHC_TEST_RUNTIME_RPC_FAKEHANDLER_H

#include "runtime/base/Clock.h"
#include "runtime/rpc/server/GrpcServer.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <vector>

namespace graphc::runtime {

/// Answers a request with a reply of its id whose status has `answerBytes`
/// characters, `answers` times. Thread-safety: any thread.
class FakeHandler final : public ServiceHandler {
public:
  GrpcServer *server = nullptr;
  size_t answerBytes = 1, answers = 1;
  Status refusal; ///< of links
  /// Work of a thread that helps; empty: none.
  std::function<void()> onHelp;
  std::atomic<int64_t> helping = 0; ///< since when one does

  protocol::Reply::Description describe(const std::string &plan) override {
    protocol::Reply::Description description;
    description.set_task("/job:ps/task:0");
    description.add_plans(plan);
    return description;
  }
  void onRequest(ClientId client,
                 std::shared_ptr<const protocol::Request> request,
                 std::function<void()> done) override {
    note([&] { ++requests; });
    protocol::Reply reply;
    reply.set_id(request->id());
    reply.set_status(std::string(answerBytes, 'x'));
    for (size_t i = 0; i < answers; ++i) {
      reply.set_last(i + 1 == answers);
      if (!server->canReply(client))
        note([&] { ++refusedReplies; });
      server->reply(client, reply);
    }
    done();
  }
  void help() override {
    int64_t nobody = 0;
    if (!onHelp || !helping.compare_exchange_strong(nobody, nowNanos()))
      return;
    onHelp();
    helping = 0;
  }
  int64_t helpingSince() const override { return helping; }
  void onClientGone(ClientId client) override {
    note([&] { gone.insert(client); });
  }
  void onReplyRoom(ClientId) override {
    note([&] { ++rooms; });
  }
  StatusOr<Greeting> meet(const Meeting &meeting) override {
    Greeting greeting;
    greeting.set_task(meeting.task() + 1);
    greeting.set_host("here");
    return greeting;
  }
  Status acceptLink(const Meeting &) override { return refusal; }
  void onLink(TaskId peer,
              std::unique_ptr<PolledConnection> connection) override {
    note([&] {
      linkedPeer = peer;
      connections.push_back(std::move(connection));
    });
  }
  void wake() override {
    note([&] { ++wakes; });
  }

  /// Waits until `isTrue` for what is noted here; false: not in time.
  template <typename Condition> bool waitFor(Condition isTrue) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), isTrue);
  }
  template <typename Change> void note(Change change) {
    std::lock_guard lock(mutex);
    change();
    changed.notify_all();
  }

  std::mutex mutex; ///< of what follows
  std::condition_variable changed;
  std::set<ClientId> gone;
  size_t requests = 0, rooms = 0, wakes = 0, refusedReplies = 0;
  TaskId linkedPeer = kNoTask;
  std::vector<std::unique_ptr<PolledConnection>> connections;
};

} // namespace graphc::runtime

#endif
