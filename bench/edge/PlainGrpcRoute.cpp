// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least that carries values over gRPC: one stream of raw messages of at
// most a frame's size, one thread on each side at a completion queue. Messages
// are the value's own memory on their way out, and are copied into the
// receiver's value; memory of messages is kept, as tasks keep it. A message of
// one byte says that a value has come; the sender is at most one value ahead.
#include "bench/edge/Announcement.h"
#include "bench/edge/Processes.h"
#include "runtime/link/FrameHeader.h"
#include "runtime/rpc/Channels.h"
#include "runtime/rpc/service.grpc.pb.h"

#include <cstring>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/server_builder.h>

using namespace graphc::bench;

namespace {

using graphc::runtime::kMaxFrameBytes;
using graphc::runtime::prepareProcess;
using Service = graphc::Task::WithRawMethod_Link<graphc::Task::Service>;

enum Tag : intptr_t { kOpen = 1, kRead, kWritten };

/// Waits for the next completion; false: the other process is gone.
bool next(grpc::CompletionQueue &queue, Tag &done) {
  void *tag = nullptr;
  bool isOk = false;
  bool isAny = queue.Next(&tag, &isOk);
  done = Tag(reinterpret_cast<intptr_t>(tag));
  return isAny && isOk;
}

void *tagOf(Tag tag) { return reinterpret_cast<void *>(tag); }

[[noreturn]] void receive(const Task &task, const Announcement &port) {
  prepareProcess();
  Service service;
  grpc::ServerBuilder builder;
  int number = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &number);
  builder.RegisterService(&service);
  auto queue = builder.AddCompletionQueue();
  auto server = builder.BuildAndStart();
  grpc::ServerContext context;
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> stream(
      &context);
  service.RequestLink(&context, &stream, queue.get(), queue.get(),
                      tagOf(kOpen));
  port.write(uint16_t(number));
  Tag tag = kOpen;
  if (!next(*queue, tag))
    fail("no call came");
  std::vector<std::byte> value(task.bytes);
  size_t got = 0, untold = 0;
  bool isWriting = false;
  grpc::ByteBuffer message;
  std::vector<grpc::Slice> slices;
  grpc::Slice taken("1");
  stream.Read(&message, tagOf(kRead));
  while (next(*queue, tag)) {
    if (tag == kWritten) {
      isWriting = false;
    } else if (!message.Dump(&slices).ok()) {
      fail("a message is damaged");
    } else {
      for (const grpc::Slice &slice : slices) {
        std::memcpy(value.data() + got, slice.begin(), slice.size());
        got += slice.size();
      }
      untold += got == task.bytes;
      got %= task.bytes;
      stream.Read(&message, tagOf(kRead));
    }
    if (untold > 0 && !isWriting) {
      --untold;
      isWriting = true;
      stream.Write(grpc::ByteBuffer(&taken, 1), tagOf(kWritten));
    }
  }
  ::_exit(0);
}

/// The sender's end.
class Sender {
public:
  Sender(const Task &task, uint16_t port)
      : stub(channelTo(port)),
        call(stub.PrepareCall(&context, "/graphc.Task/Link", &queue)),
        value(task.bytes, std::byte(1)) {
    call->StartCall(tagOf(kOpen));
    wait([this] { return isOpen; });
    call->Read(&message, tagOf(kRead));
  }

  void send() {
    wait([this] { return taken + 1 >= sent; });
    for (size_t at = 0; at < value.size();) {
      size_t size = std::min(kMaxFrameBytes, value.size() - at);
      grpc::Slice slice(value.data() + at, size, grpc::Slice::STATIC_SLICE);
      isWriting = true;
      call->Write(grpc::ByteBuffer(&slice, 1), tagOf(kWritten));
      at += size;
      wait([this] { return !isWriting; });
    }
    ++sent;
  }

private:
  static std::shared_ptr<grpc::Channel> channelTo(uint16_t port) {
    return grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                               grpc::InsecureChannelCredentials());
  }
  template <typename Condition> void wait(Condition isDone) {
    while (!isDone()) {
      Tag tag = kOpen;
      if (!next(queue, tag))
        fail("the other process is gone");
      isOpen |= tag == kOpen;
      isWriting &= tag != kWritten;
      if (tag != kRead)
        continue;
      ++taken;
      call->Read(&message, tagOf(kRead));
    }
  }

  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  grpc::GenericStub stub;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
  std::vector<std::byte> value;
  grpc::ByteBuffer message;
  uint64_t sent = 0, taken = 0;
  bool isOpen = false, isWriting = false;
};

void send(const Task &task, const Announcement &port) {
  prepareProcess();
  Sender sender(task, port.read());
  measure(task, [&] { sender.send(); });
  std::fflush(stdout);
  ::_exit(0); // a stream that is not ended may not be destroyed
}

} // namespace

void graphc::bench::runPlainGrpc(const Task &task) {
  Announcement port;
  runBoth([&] { receive(task, port); }, [&] { send(task, port); }, Cores::Any);
}
