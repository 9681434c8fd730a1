// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A conversation with a task as the client has it.
#ifndef GRAPHC_RUNTIME_RPC_CLIENTCALL_H
#define GRAPHC_RUNTIME_RPC_CLIENTCALL_H

#include "runtime/base/Status.h"
#include "runtime/rpc/CompletionLoop.h"
#include "runtime/rpc/service.grpc.pb.h"

#include <deque>
#include <functional>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <memory>

namespace graphc::runtime {

/// Keeps itself until its last operation is over. Thread-safety: the thread
/// that looks at the completion queue.
class ClientCall final : public std::enable_shared_from_this<ClientCall> {
public:
  using Stream =
      grpc::ClientAsyncReaderWriter<protocol::Request, protocol::Reply>;
  struct Events {
    std::function<void(const protocol::Reply &)> onReply;
    /// Called with the reason of the end; `wasOpen`: the task had taken it.
    /// Nothing follows.
    std::function<void(const Status &, bool wasOpen)> onEnd;
  };

  /// `isTls`: requests go only to who has the certificate of a task.
  static std::shared_ptr<ClientCall>
  begin(const std::shared_ptr<grpc::Channel> &channel, bool isTls,
        grpc::CompletionQueue &queue, Events events);

  void send(protocol::Request request);
  /// The requests that have not been sent.
  std::deque<protocol::Request> takeUnsent();
  /// Ends it; no event follows.
  void drop();

private:
  struct Operation final : CompletionEvent {
    void (ClientCall::*done)(bool isOk) = nullptr;
    std::shared_ptr<ClientCall> owner;
    void complete(bool isOk) override;
  };

  void *start(Operation &operation);
  void onStarted(bool isOk);
  void onGreeted(bool isOk);
  void onRead(bool isOk);
  void onWritten(bool isOk);
  void onFinished(bool isOk);
  void write();
  void finish();

  grpc::ClientContext context;
  std::unique_ptr<graphc::Task::Stub> stub;
  std::unique_ptr<Stream> stream;
  Operation starting, greeting, reading, writing, finishing;
  Events events;
  std::deque<protocol::Request> queue; ///< the first is being written
  protocol::Reply incoming;
  grpc::Status status;
  Status refusal; ///< of the task, by this side
  bool isTls = false;
  bool isOpen = false, isWriting = false, isReading = false, isOver = false,
       isFinishing = false;
};

} // namespace graphc::runtime

#endif
