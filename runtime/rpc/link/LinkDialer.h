// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls another task: asks who it is, then opens the stream to it.
#ifndef GRAPHC_RUNTIME_RPC_LINK_LINKDIALER_H
#define GRAPHC_RUNTIME_RPC_LINK_LINKDIALER_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/cluster/TaskId.h"
#include "runtime/rpc/CallTarget.h"
#include "runtime/rpc/CompletionLoop.h"
#include "runtime/rpc/Credentials.h"
#include "runtime/rpc/link/LinkStream.h"
#include "runtime/rpc/server/LiveCalls.h"
#include "runtime/rpc/service.grpc.pb.h"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace graphc::runtime {

/// Callbacks of a dial; called on the completion queue's thread, exactly one of
/// onConnection, onFailure, or onGreeting with false.
struct DialEvents {
  /// The task has answered. False: its caller takes another route.
  std::function<StatusOr<bool>(const Greeting &)> onGreeting;
  std::function<void(std::unique_ptr<PolledConnection>)> onConnection;
  std::function<void(const Status &)> onFailure;
  /// See ServiceHandler::wake.
  std::function<void()> wake;
};

/// Thread-safety: any thread.
class LinkDialer {
public:
  LinkDialer(grpc::CompletionQueue &queue, Credentials credentials,
             LiveCalls &live)
      : queue(queue), credentials(std::move(credentials)), live(live) {}

  void dial(TaskId peer, const TaskAddress &address, const Meeting &self,
            DialEvents events);
  /// Opens the stream to a task that has answered before; onGreeting is not
  /// called.
  void open(TaskId peer, const TaskAddress &address, const Meeting &self,
            DialEvents events) {
    open(channelTo(peer, address), self, std::move(events));
  }
  /// Ends all calls and streams; none begins any more.
  void close(const Status &why);

private:
  struct Dial;
  struct OutgoingLink;
  std::shared_ptr<grpc::Channel> channelTo(TaskId peer,
                                           const TaskAddress &address);
  /// Checks that the server is a task.
  Status checkRole(const grpc::ClientContext &context) const;
  /// False: closed.
  bool add(grpc::ClientContext &context);
  void remove(grpc::ClientContext &context);
  void open(const std::shared_ptr<grpc::Channel> &channel, const Meeting &self,
            DialEvents events);

  grpc::CompletionQueue &queue;
  const Credentials credentials;
  LiveCalls &live;
  Mutex mutex;
  std::map<TaskId, std::pair<std::string, std::shared_ptr<grpc::Channel>>>
      channels GRAPHC_GUARDED_BY(mutex);
  std::vector<std::weak_ptr<LinkStream>> streams GRAPHC_GUARDED_BY(mutex);
  /// Of calls that live.
  std::set<grpc::ClientContext *> contexts GRAPHC_GUARDED_BY(mutex);
  bool isClosed GRAPHC_GUARDED_BY(mutex) = false;
};

} // namespace graphc::runtime

#endif
