// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gRPC stream between two tasks, and the connection that a task has of it.
#ifndef GRAPHC_RUNTIME_RPC_LINK_LINKSTREAM_H
#define GRAPHC_RUNTIME_RPC_LINK_LINKSTREAM_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/rpc/Buffers.h"
#include "runtime/rpc/CompletionLoop.h"
#include "runtime/transport/PolledConnection.h"

#include <atomic>
#include <deque>
#include <functional>
#include <grpcpp/support/async_stream.h>
#include <memory>

namespace graphc::runtime {

/// Packets between the completion queue's thread and the task's. Either end of
/// the call; who has the call ends it when told. Lives until its last operation
/// is over. Thread-safety: any thread.
class LinkStream final : public std::enable_shared_from_this<LinkStream> {
public:
  using Reader = grpc::internal::AsyncReaderInterface<grpc::ByteBuffer>;
  using Writer = grpc::internal::AsyncWriterInterface<grpc::ByteBuffer>;

  /// The call, which this keeps alive; `cancel` makes its operations fail, and
  /// `finish` is called once, when none is on its way any more.
  struct Call {
    std::shared_ptr<void> owner;
    Reader *reader = nullptr;
    Writer *writer = nullptr;
    std::function<void()> cancel;
    std::function<void()> finish;
  };

  LinkStream(Call call, std::function<void()> wake);

  /// Begins to read. Call once, when the call is open.
  void begin();
  /// Closes the stream; the first reason counts.
  void close(const Status &why);
  bool isClosed() const;
  Status failure() const;

  // The connection's side.
  size_t room();
  bool takeRoom();
  void transmit(std::span<const std::byte> head, const SharedBytes &body);
  /// The next packet that has come; false: none.
  bool take(grpc::ByteBuffer &packet);
  void setSleeping(bool isSleeping);
  /// An empty packet, unless others are on their way.
  void heartbeat();

private:
  struct Operation final : CompletionEvent {
    void (LinkStream::*done)(bool isOk) = nullptr;
    std::shared_ptr<LinkStream> owner;
    void complete(bool isOk) override;
  };

  void onRead(bool isOk);
  void onWritten(bool isOk);
  void *start(Operation &operation);
  void notify();
  void readMore() GRAPHC_REQUIRES(mutex);
  void writeMore() GRAPHC_REQUIRES(mutex);
  bool hasRoom() const GRAPHC_REQUIRES(mutex);
  void fail(const Status &why) GRAPHC_REQUIRES(mutex);

  Call call;
  const std::function<void()> wake;
  Operation reading, writing;
  std::atomic<bool> isSleeping = false;

  mutable Mutex mutex;
  grpc::ByteBuffer incoming; ///< the operation's, while one is on its way
  std::deque<grpc::ByteBuffer> inbox GRAPHC_GUARDED_BY(mutex);
  /// The first is being written.
  std::deque<grpc::ByteBuffer> outbox GRAPHC_GUARDED_BY(mutex);
  size_t inboxBytes GRAPHC_GUARDED_BY(mutex) = 0;
  size_t outboxBytes GRAPHC_GUARDED_BY(mutex) = 0;
  bool isReading GRAPHC_GUARDED_BY(mutex) = false;
  bool isWriting GRAPHC_GUARDED_BY(mutex) = false;
  bool isOver GRAPHC_GUARDED_BY(mutex) = false;
  bool isBroken GRAPHC_GUARDED_BY(mutex) = false;
  bool wantsRoom GRAPHC_GUARDED_BY(mutex) = false;
  Status why GRAPHC_GUARDED_BY(mutex);
};

/// Thread-safety: the task's thread, but for heartbeat().
class GrpcConnection final : public PolledConnection {
public:
  explicit GrpcConnection(std::shared_ptr<LinkStream> stream);
  ~GrpcConnection() override;

  size_t room() const override { return stream->room(); }
  void transmit(std::span<const std::byte> head,
                std::span<const std::byte> body) override {
    stream->transmit(head, {body, nullptr});
  }
  void transmitShared(std::span<const std::byte> head,
                      const SharedBytes &body) override {
    stream->transmit(head, body);
  }
  bool poll(const std::function<void(const ByteRanges &)> &onPacket) override;
  bool isBroken() override { return stream->isClosed(); }
  Status failure() const override { return stream->failure(); }
  bool takeRoom() override { return stream->takeRoom(); }
  void setSleeping(bool isSleeping) override {
    stream->setSleeping(isSleeping);
  }
  void heartbeat() override { stream->heartbeat(); }
  void close() override;
  const char *route() const override { return "grpc"; }

private:
  const std::shared_ptr<LinkStream> stream;
  BufferRanges ranges;
};

} // namespace graphc::runtime

#endif
