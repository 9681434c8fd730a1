// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task machines and client machines side by side in one thread: messages pass
// by queues, time passes when nothing else happens, and the seed decides whose
// turn it is.
#ifndef GRAPHC_TEST_RUNTIME_TASK_DIRECTCLUSTER_H
#define GRAPHC_TEST_RUNTIME_TASK_DIRECTCLUSTER_H

#include "runtime/client/ClientMachine.h"
#include "runtime/task/TaskMachine.h"
#include "test/runtime/format/ModelBuilder.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>

namespace graphc::test {

struct DirectOptions {
  runtime::ClusterSpec cluster;
  uint64_t seed = 1;
  bool hasSharedMemory = false; ///< between all tasks
  std::function<void(runtime::TaskOptions &)> change;
};

/// Thread-safety: one call at a time.
class DirectCluster {
public:
  explicit DirectCluster(DirectOptions options);
  ~DirectCluster();

  runtime::ClientMachine &addClient(const ModelBuilder &plan,
                                    runtime::ClientOptions options = {});
  void removeClient(runtime::ClientMachine &client);
  runtime::TaskMachine &task(runtime::TaskId task);

  /// The task's process dies; its peers and clients hear of it. Or it begins
  /// anew.
  void kill(runtime::TaskId task);
  void restart(runtime::TaskId task);

  /// The two lose each other and what was on the way; or find each other again.
  void cutLink(runtime::TaskId one, runtime::TaskId other);
  void mendLink(runtime::TaskId one, runtime::TaskId other);
  /// The task's process stops, as by SIGSTOP, or goes on: it looks at its clock
  /// before it hears what has come meanwhile.
  void stop(runtime::TaskId task);
  void goOn(runtime::TaskId task);

  /// Does one thing; false: there is nothing to do before the next timer.
  bool turn();
  /// Until `isDone`; false: it did not get there in `most` turns, or two
  /// minutes.
  bool runUntil(const std::function<bool()> &isDone, int most = 2'000'000);
  /// Until the client's operation is over; its result.
  runtime::Status finish(runtime::ClientMachine &client);
  /// Until nothing happens but by time.
  void settle();

  /// A conversation by hand.
  runtime::ClientId openConversation();
  void send(runtime::ClientId client, runtime::TaskId task,
            const protocol::Request &request);
  std::deque<protocol::Reply> &replies(runtime::ClientId client) {
    return byHand[client];
  }
  void sendFrame(runtime::TaskId from, runtime::TaskId to,
                 const runtime::FrameHeader &header, const Bytes &payload = {});

  /// Residue of runs at all tasks together.
  runtime::TaskMachine::Residue residue() const;
  /// Places in a task's shared memory that it has not given back.
  size_t sharedPlaces(runtime::TaskId task) const;
  uint64_t turns() const { return count; }
  int64_t now() const { return clock; }
  std::string log;  ///< of all tasks
  std::string told; ///< to all clients' users, as lines
  std::map<runtime::FrameKind, int> framesSent;
  std::map<runtime::ClientId, bool> isFull; ///< canReply() says no
  /// Requests that stay on the way.
  std::function<bool(const protocol::Request &, runtime::TaskId)> hold;
  /// Changes tasks' replies to clients; seeRequest sees clients' requests.
  std::function<void(protocol::Reply &, runtime::TaskId)> changeReply;
  std::function<void(const protocol::Request &, runtime::TaskId)> seeRequest;
  /// Jobs for tasks' spare threads wait for doJobs(). REQUIRES: no task is
  /// killed meanwhile.
  bool holdsJobs = false;
  void doJobs();
  int64_t clock = 1'000'000'000;

private:
  struct Node;
  struct Client;
  struct Frame {
    runtime::FrameHeader header;
    Bytes payload;
  };
  friend struct Node;

  Node *up(runtime::TaskId task) const;
  bool isAwake(runtime::TaskId task) const;
  void deliverFrame(runtime::TaskId from, runtime::TaskId to);
  int64_t nextTimer() const;
  void runTimers();

  DirectOptions options;
  std::mt19937_64 random;
  uint64_t count = 0;
  uint64_t lastIncarnation = 0;
  runtime::ClientId lastClient = 0;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<Client>> clients;
  std::map<std::pair<runtime::TaskId, runtime::TaskId>, std::deque<Frame>>
      frames;
  std::set<std::pair<runtime::TaskId, runtime::TaskId>> cutLinks;
  std::set<runtime::TaskId> stopped;
  std::deque<std::function<void()>> jobs;
  std::map<std::pair<runtime::ClientId, runtime::TaskId>,
           std::deque<protocol::Request>>
      requests;
  std::map<std::pair<runtime::ClientId, runtime::TaskId>,
           std::deque<protocol::Reply>>
      answers;
  std::map<runtime::ClientId, std::deque<protocol::Reply>> byHand;
};

} // namespace graphc::test

#endif
