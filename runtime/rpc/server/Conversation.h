// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client's conversation as the server has it.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_CONVERSATION_H
#define GRAPHC_RUNTIME_RPC_SERVER_CONVERSATION_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/rpc/Buffers.h"
#include "runtime/rpc/CompletionLoop.h"
#include "runtime/rpc/server/ServiceHandler.h"

#include <deque>
#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>
#include <memory>

namespace graphc::runtime {

struct ConversationLimits {
  /// Replies beyond this wait at the task: canReply() is false. Nor is another
  /// request read, since it would have an answer.
  size_t repliesQueued = 1 << 20;
  /// More than this, sent while canReply() was false, ends the conversation:
  /// the client asks without reading.
  size_t mostQueued = 8 << 20;
  /// Requests that the task has not taken yet.
  size_t requestsInHand = 2 << 20;
};

/// Memory of a request beside its bytes.
inline constexpr size_t kRequestOverhead = 512;

/// The most memory that a client's conversation takes, beside the results of a
/// single step: requests in hand and the one that exceeds them, a message that
/// is coming in (gRPC reads no further, see Channels.cpp) and one that is being
/// parsed, and replies.
constexpr size_t mostBytes(const ConversationLimits &limits) {
  return limits.requestsInHand + 3 * kMaxMessageBytes + limits.repliesQueued +
         limits.mostQueued;
}

/// Lives until its last operation is over. Thread-safety: reply() and
/// canReply(): any thread.
class Conversation final : public std::enable_shared_from_this<Conversation> {
public:
  using Stream =
      grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

  Conversation(ClientId id, ServiceHandler &handler,
               const ConversationLimits &limits);

  grpc::ServerContext &context() { return serverContext; }
  Stream &stream() { return calls; }
  ClientId id() const { return number; }

  /// The call has come: greets the client and reads. `onEnd` is called once,
  /// on the server's thread, when nothing more will happen.
  void begin(std::function<void()> onEnd);
  /// The call has come, but is not wanted. `token` is kept until it is over.
  void refuse(const Status &why, std::shared_ptr<void> token);

  bool canReply() const;
  void reply(const protocol::Reply &reply);
  /// Ends the conversation with a reason for the client, after its replies.
  void close(const Status &why);

private:
  /// One kind of operation, of which one at a time is on its way.
  struct Operation final : CompletionEvent {
    void (Conversation::*done)(bool isOk) = nullptr;
    std::shared_ptr<Conversation> owner; ///< keeps it while on its way
    void complete(bool isOk) override;
  };

  void onRead(bool isOk);
  void onGreeted(bool isOk);
  void onWritten(bool isOk);
  void onFinished(bool isOk);
  void onTaken(size_t bytes);
  void *start(Operation &operation);
  void readMore() GRAPHC_REQUIRES(mutex);
  void writeMore() GRAPHC_REQUIRES(mutex);
  /// After what is queued.
  void end(const Status &why) GRAPHC_REQUIRES(mutex);
  void overflow() GRAPHC_REQUIRES(mutex);

  const ClientId number;
  ServiceHandler &handler;
  const ConversationLimits limits;
  grpc::ServerContext serverContext;
  Stream calls;
  Operation greeting, reading, writing, finishing;
  std::function<void()> onEnd;

  mutable Mutex mutex;
  grpc::ByteBuffer incoming;
  /// The first is being written.
  std::deque<grpc::ByteBuffer> queue GRAPHC_GUARDED_BY(mutex);
  size_t queued GRAPHC_GUARDED_BY(mutex) = 0;
  size_t inHand GRAPHC_GUARDED_BY(mutex) = 0;
  /// Of what is queued, what came when there was no room.
  size_t excess GRAPHC_GUARDED_BY(mutex) = 0;
  bool isReading GRAPHC_GUARDED_BY(mutex) = false;
  bool isWriting GRAPHC_GUARDED_BY(mutex) = false;
  bool isEnding GRAPHC_GUARDED_BY(mutex) = false;
  bool isFinishing GRAPHC_GUARDED_BY(mutex) = false;
  mutable bool wantsRoom GRAPHC_GUARDED_BY(mutex) = false;
  Status ending GRAPHC_GUARDED_BY(mutex);
};

} // namespace graphc::runtime

#endif
