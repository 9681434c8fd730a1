// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles the calls that a GrpcServer receives.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_SERVICEHANDLER_H
#define GRAPHC_RUNTIME_RPC_SERVER_SERVICEHANDLER_H

#include "runtime/base/Status.h"
#include "runtime/rpc/service.pb.h"
#include "runtime/task/TaskHost.h"
#include "runtime/transport/TaskRunner.h"

#include <functional>
#include <memory>

namespace graphc::runtime {

/// Calls come from the server's threads and return at once, but for help().
class ServiceHandler {
public:
  virtual ~ServiceHandler() = default;

  virtual protocol::Reply::Description describe(const std::string &plan) = 0;

  /// Calls `done`, on any thread, when the request is taken: until then it
  /// counts among the bytes that wait for the task, and above a limit nothing
  /// more is read from the client.
  virtual void onRequest(ClientId client,
                         std::shared_ptr<const protocol::Request> request,
                         std::function<void()> done) = 0;
  /// Follows onRequest() when the next request may come: the calling thread may
  /// do what was asked.
  virtual void help() {}
  /// Since when (nowNanos()) a thread does so; 0: none.
  virtual int64_t helpingSince() const { return 0; }
  virtual void onClientGone(ClientId client) = 0;
  /// canReply() was false and is true again.
  virtual void onReplyRoom(ClientId client) = 0;

  /// Another task wants to know who this is. A failure refuses it.
  virtual StatusOr<Greeting> meet(const Meeting &meeting) = 0;
  /// Its link is about to come; a failure refuses it.
  virtual Status acceptLink(const Meeting &meeting) = 0;
  virtual void onLink(TaskId peer,
                      std::unique_ptr<PolledConnection> connection) = 0;
  /// A connection that slept has something to look at.
  virtual void wake() = 0;
};

} // namespace graphc::runtime

#endif
