// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/soak/Flood.h"

#include "runtime/base/Clock.h"
#include "runtime/base/DType.h"
#include "runtime/rpc/CompletionLoop.h"
#include "runtime/rpc/service.grpc.pb.h"

#include <grpcpp/create_channel.h>
#include <memory>
#include <vector>

using namespace graphc::bench;
using namespace graphc::runtime;
using graphc::protocol::Reply;
using graphc::protocol::Request;

namespace {

/// One client. Thread-safety: the queue's thread.
class Flooder {
public:
  Flooder(const std::string &address, const Request &prepare, const Request &go,
          bool reads, grpc::CompletionQueue &queue, FloodResult &result)
      : request(prepare), go(go), reads(reads), result(result),
        channel(connect(address)), stub(graphc::Task::NewStub(channel)) {
    starting.then = [this](bool isOk) { onStarted(isOk); };
    writing.then = [this](bool isOk) { onWritten(isOk); };
    reading.then = [this](bool isOk) { onRead(isOk); };
    stream = stub->PrepareAsyncConverse(&context, &queue);
    stream->StartCall(begin(starting));
  }

  void cancel() { context.TryCancel(); }
  bool isOver() const { return operations == 0; }

private:
  struct Operation final : CompletionEvent {
    std::function<void(bool)> then;
    void complete(bool isOk) override { then(isOk); }
  };

  /// Each client has a connection of its own.
  static std::shared_ptr<grpc::Channel> connect(const std::string &address) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    return grpc::CreateCustomChannel(
        address, grpc::InsecureChannelCredentials(), arguments);
  }
  void *begin(Operation &operation) {
    ++operations;
    return static_cast<CompletionEvent *>(&operation);
  }
  void onStarted(bool isOk) {
    --operations;
    result.ended += !isOk;
    if (!isOk)
      return;
    stream->Write(request, begin(writing));
    if (reads)
      stream->Read(&reply, begin(reading));
  }
  void onWritten(bool isOk) {
    --operations;
    result.ended += !isOk;
    if (!isOk)
      return;
    ++result.requests;
    uint64_t id = request.id() + 1;
    request = go;
    request.set_id(id);
    stream->Write(request, begin(writing));
  }
  void onRead(bool isOk) {
    --operations;
    if (!isOk)
      return;
    ++result.replies;
    stream->Read(&reply, begin(reading));
  }

  Request request;
  const Request go;
  const bool reads;
  FloodResult &result;
  Reply reply;
  grpc::ClientContext context;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<graphc::Task::Stub> stub;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<Request, Reply>> stream;
  Operation starting, writing, reading;
  size_t operations = 0;
};

Request makePrepare(const std::string &digest, size_t floats, uint64_t client) {
  Request request;
  request.set_id(1);
  Request::Prepare &prepare = *request.mutable_prepare();
  prepare.set_plan(digest);
  prepare.set_graph("flood");
  prepare.add_fetches("y");
  prepare.mutable_run()->set_client(client);
  prepare.mutable_run()->set_number(1);
  graphc::protocol::Chunk &feed = *prepare.add_feeds();
  feed.set_name("x");
  feed.set_dtype(static_cast<uint32_t>(DType::Float32));
  feed.add_shape(int64_t(floats));
  feed.set_total(floats * sizeof(float));
  feed.mutable_data()->resize(floats * sizeof(float));
  return request;
}

Request makeGo(const Request &prepare) {
  Request request;
  Request::Go &go = *request.mutable_go();
  *go.mutable_run() = prepare.prepare().run();
  *go.mutable_feeds() = prepare.prepare().feeds();
  go.set_steps(1);
  return request;
}

} // namespace

FloodResult graphc::bench::flood(const std::string &address,
                                 const std::string &digest, size_t floats,
                                 size_t clients, double seconds) {
  FloodResult result;
  grpc::CompletionQueue queue;
  CompletionLoop loop(queue, false);
  std::vector<std::unique_ptr<Flooder>> flooders;
  uint64_t first = uint64_t(nowNanos());
  for (size_t i = 0; i < clients; ++i) {
    Request prepare = makePrepare(digest, floats, first + i);
    flooders.push_back(std::make_unique<Flooder>(
        address, prepare, makeGo(prepare), i % 2 == 0, queue, result));
  }
  int64_t end = nowNanos() + int64_t(seconds * 1e9);
  while (nowNanos() < end)
    loop.next(end);
  FloodResult before = result;
  for (auto &flooder : flooders)
    flooder->cancel();
  auto isOver = [](const auto &flooder) { return flooder->isOver(); };
  while (!std::all_of(flooders.begin(), flooders.end(), isOver))
    loop.next(INT64_MAX);
  queue.Shutdown();
  while (loop.next(INT64_MAX) != CompletionLoop::Next::Shutdown) {
  }
  return before;
}
