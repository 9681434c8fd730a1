// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls as a server gets them.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_INCOMINGCALLS_H
#define GRAPHC_RUNTIME_RPC_SERVER_INCOMINGCALLS_H

#include "runtime/cluster/TaskId.h"
#include "runtime/rpc/CompletionLoop.h"
#include "runtime/rpc/StatusMap.h"
#include "runtime/rpc/link/LinkStream.h"
#include "runtime/rpc/server/LiveCalls.h"
#include "runtime/rpc/service.grpc.pb.h"

#include <functional>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <memory>

namespace graphc::runtime {

/// Conversations and links are bytes to gRPC: a message that is none gets an
/// answer that reports it.
using RawTaskService = graphc::Task::WithRawMethod_Link<
    graphc::Task::WithRawMethod_Converse<graphc::Task::WithAsyncMethod_Meet<
        graphc::Task::WithAsyncMethod_Describe<graphc::Task::Service>>>>;

/// Waits for one call, then tells that it has come; false: the server ends.
class CallArrival final : public CompletionEvent {
public:
  explicit CallArrival(std::function<void(bool isOk)> whenCome)
      : whenCome(std::move(whenCome)) {}
  void complete(bool isOk) override {
    std::unique_ptr<CallArrival> self(this);
    whenCome(isOk);
  }

private:
  std::function<void(bool)> whenCome;
};

/// A call with one request and one answer.
template <typename Request, typename Answer>
struct UnaryCall final : CompletionEvent {
  grpc::ServerContext context;
  Request request;
  grpc::ServerAsyncResponseWriter<Answer> writer{&context};
  std::shared_ptr<void> token;

  void finish(const StatusOr<Answer> &answer) {
    if (answer.isOk())
      writer.Finish(*answer, grpc::Status::OK, event());
    else
      writer.FinishWithError(toGrpc(answer.status()), event());
  }
  void complete(bool) override { delete this; }

private:
  void *event() { return static_cast<CompletionEvent *>(this); }
};

/// The called end of a stream between tasks. Keeps itself until it is over.
class IncomingLink final : public std::enable_shared_from_this<IncomingLink> {
public:
  using Stream =
      grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;
  grpc::ServerContext context;
  Stream stream{&context};
  std::shared_ptr<void> token;

  IncomingLink();
  /// The caller as its metadata have it; INVALID_ARGUMENT where they are wrong.
  StatusOr<Meeting> caller() const;
  void refuse(const Status &why);
  /// `self`: the number of this task.
  std::shared_ptr<LinkStream> accept(TaskId self, std::function<void()> wake);

private:
  struct Step final : CompletionEvent {
    void (IncomingLink::*done)() = nullptr;
    std::shared_ptr<IncomingLink> owner;
    void complete(bool isOk) override;
  };
  void *start(Step &step);
  void onGreeted();
  void onFinished();

  Step greeting, finishing;
  std::shared_ptr<LinkStream> packets;
};

} // namespace graphc::runtime

#endif
