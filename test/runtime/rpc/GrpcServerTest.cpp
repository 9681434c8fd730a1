// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversations of clients, good and bad, with a server.
#include "runtime/rpc/Metadata.h"
#include "runtime/rpc/server/Listen.h"
#include "runtime/rpc/service.grpc.pb.h"
#include "test/runtime/rpc/FakeHandler.h"
#include "test/runtime/rpc/RawCall.h"
#include "test/runtime/rpc/TempFolder.h"

#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace graphc::runtime {

namespace {

using ::testing::HasSubstr;

constexpr const char *kConverse = "/graphc.Task/Converse";

class GrpcServerTest : public ::testing::Test {
protected:
  void start(const std::string &address = "localhost:0") {
    options.bind = *TaskAddress::parse(address);
    auto made = GrpcServer::listen(options);
    ASSERT_TRUE(made.isOk()) << made.status().toString();
    server = std::move(*made);
    handler.server = server.get();
    server->start(handler);
    channel = makeChannel(server->address(), {});
  }
  void TearDown() override {
    if (server)
      server->stop(cancelled("the test ends"));
  }

  /// Sends a request and reads its replies; their number.
  size_t converse(RawCall &call, uint64_t id) {
    protocol::Request request;
    request.set_id(id);
    request.mutable_waits();
    EXPECT_TRUE(call.write(request.SerializeAsString()));
    size_t count = 0;
    protocol::Reply reply;
    do {
      std::optional<std::string> bytes = call.read();
      if (!bytes || !reply.ParseFromString(*bytes) || reply.id() != id)
        return 0;
      ++count;
    } while (!reply.last());
    return count;
  }

  GrpcServerOptions options;
  FakeHandler handler;
  std::unique_ptr<GrpcServer> server;
  std::shared_ptr<grpc::Channel> channel;
};

TEST_F(GrpcServerTest, AnswersRequestsInOrder) {
  start();
  handler.answers = 3;
  RawCall call(channel, kConverse);
  for (uint64_t id = 1; id <= 200; ++id)
    ASSERT_EQ(converse(call, id), 3u);
  EXPECT_EQ(server->clients(), 1u);
}

/// The most memory that this process has ever had, in bytes; 0: unknown.
size_t peakMemory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  size_t kibibytes = 0;
  while (status >> word)
    if (word == "VmHWM:" && status >> kibibytes)
      return kibibytes << 10;
  return 0;
}

TEST_F(GrpcServerTest, ALargeMessageDoesNotTakeItsSizeInMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer owns the heap";
#endif
  start();
  RawCall other(channel, kConverse);
  ASSERT_EQ(converse(other, 1), 1u);
  size_t before = peakMemory();
  static const std::string kBlock(1 << 20, 'x');
  std::vector<grpc::Slice> slices(512, grpc::Slice(kBlock.data(), kBlock.size(),
                                                   grpc::Slice::STATIC_SLICE));
  grpc::ByteBuffer large(slices.data(), slices.size());
  for (const char *method : {kConverse, "/grpc.health.v1.Health/Check"}) {
    // Over a connection of its own, as a stranger's.
    RawCall call(makeChannel(server->address(), {}), method);
    call.write(large);
    EXPECT_EQ(call.finish().error_code(), grpc::RESOURCE_EXHAUSTED);
  }
  EXPECT_LT(peakMemory() - before, size_t(128) << 20);
  RawCall next(channel, kConverse);
  EXPECT_EQ(converse(next, 1), 1u);
}

TEST_F(GrpcServerTest, DescribesItself) {
  start();
  grpc::ClientContext context;
  protocol::Request::Describe request;
  request.set_plan("abc");
  protocol::Reply::Description answer;
  auto stub = graphc::Task::NewStub(channel);
  ASSERT_TRUE(stub->Describe(&context, request, &answer).ok());
  EXPECT_EQ(answer.task(), "/job:ps/task:0");
  EXPECT_EQ(answer.plans(0), "abc");
}

TEST_F(GrpcServerTest, SaysWhenAClientIsGone) {
  start();
  {
    RawCall call(channel, kConverse);
    ASSERT_EQ(converse(call, 1), 1u);
  }
  EXPECT_TRUE(handler.waitFor([&] { return handler.gone.count(1) == 1; }));
}

TEST_F(GrpcServerTest, TakesOnlySoManyClients) {
  options.mostClients = 2;
  start();
  auto first = std::make_unique<RawCall>(channel, kConverse);
  RawCall second(channel, kConverse), third(channel, kConverse);
  ASSERT_EQ(converse(*first, 1), 1u);
  ASSERT_EQ(converse(second, 1), 1u);
  grpc::Status status = third.finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("this task has 2 clients"));
  first.reset(); // makes room
  ASSERT_TRUE(handler.waitFor([&] { return !handler.gone.empty(); }));
  while (server->clients() > 1)
    std::this_thread::yield();
  RawCall fourth(channel, kConverse);
  EXPECT_EQ(converse(fourth, 1), 1u);
}

TEST_F(GrpcServerTest, RefusesBytesThatAreNoRequest) {
  start();
  RawCall call(channel, kConverse);
  call.write(std::string(100, '\xff'));
  grpc::Status status = call.finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("no graphc.protocol.Request"));
  RawCall other(channel, kConverse);
  EXPECT_EQ(converse(other, 7), 1u);
}

TEST_F(GrpcServerTest, RefusesAMessageThatIsTooLarge) {
  start();
  RawCall call(channel, kConverse);
  call.write(std::string(5 << 20, 'a'));
  EXPECT_FALSE(call.finish().ok());
  RawCall other(channel, kConverse);
  EXPECT_EQ(converse(other, 7), 1u);
}

TEST_F(GrpcServerTest, StaysWithRandomBytes) {
  start();
  std::mt19937 random(7);
  for (const char *method :
       {kConverse, "/graphc.Task/Link", "/graphc.Task/Meet",
        "/graphc.Task/Describe", "/graphc.Task/Nothing"})
    for (int i = 0; i < 40; ++i) {
      RawCall call(channel, method,
                   {{kTaskKey, i % 2 ? "0" : "x"},
                    {kIncarnationKey, "5"},
                    {kClusterKey, "18446744073709551616"},
                    {kProtocolKey, "1"}});
      std::string bytes(random() % 300, 0);
      for (char &byte : bytes)
        byte = static_cast<char>(random());
      call.write(bytes);
    }
  RawCall call(channel, kConverse);
  EXPECT_EQ(converse(call, 1), 1u);
}

TEST_F(GrpcServerTest, HoldsBackWhereAClientDoesNotRead) {
  start();
  handler.answers = 24;
  handler.answerBytes = 256 << 10;
  RawCall call(channel, kConverse);
  EXPECT_EQ(converse(call, 1), 24u);
  EXPECT_TRUE(handler.waitFor([&] { return handler.rooms > 0; }));
  EXPECT_GT(handler.refusedReplies, 0u);
}

TEST_F(GrpcServerTest, ReadsNoRequestsOfAClientThatDoesNotReadReplies) {
  start();
  handler.answerBytes = 64 << 10;
  RawCall call(channel, kConverse);
  protocol::Request request;
  request.mutable_waits();
  constexpr size_t kRequests = 400; // 25 MiB of replies
  for (uint64_t id = 1; id <= kRequests; ++id) {
    request.set_id(id);
    ASSERT_TRUE(call.write(request.SerializeAsString()));
  }
  auto taken = [&] {
    std::lock_guard lock(handler.mutex);
    return handler.requests;
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(taken(), kRequests / 2);
  for (size_t i = 0; i < kRequests; ++i)
    ASSERT_TRUE(call.read()) << "reply " << i + 1;
  EXPECT_EQ(taken(), kRequests);
}

TEST_F(GrpcServerTest, TakesALargeReplyBetweenSmallOnes) {
  start();
  RawCall call(makeChannel(server->address(), {}, true), kConverse);
  ASSERT_EQ(converse(call, 1), 1u);
  protocol::Reply small, large;
  small.set_status(std::string(100'000, 'x'));
  large.set_status(std::string(40 << 20, 'y'));
  server->reply(1, small);
  EXPECT_TRUE(server->canReply(1));
  server->reply(1, large);
  server->reply(1, small);
  ASSERT_TRUE(call.read());
  std::optional<std::string> bytes = call.read();
  ASSERT_TRUE(bytes && large.ParseFromString(*bytes));
  EXPECT_EQ(large.status().size(), size_t(40) << 20);
  EXPECT_TRUE(call.read());
}

TEST_F(GrpcServerTest, CutsAClientThatNeverReads) {
  start();
  handler.answers = 200;
  handler.answerBytes = 1 << 20;
  RawCall call(channel, kConverse);
  protocol::Request request;
  request.set_id(1);
  call.write(request.SerializeAsString());
  EXPECT_TRUE(handler.waitFor([&] { return handler.gone.count(1) == 1; }));
}

/// The server's thread may run the task's node, and then a long kernel.
TEST_F(GrpcServerTest, AnswersOthersWhileItsThreadHelps) {
  // Threads may still help while the server stops.
  auto isAnswered = std::make_shared<bool>(false);
  handler.onHelp = [this, isAnswered] {
    EXPECT_TRUE(handler.waitFor([&] { return *isAnswered; }));
  };
  start();
  RawCall first(channel, kConverse), second(channel, kConverse);
  EXPECT_EQ(converse(first, 1), 1u); // the reply is out before the help
  EXPECT_EQ(converse(second, 1), 1u);
  EXPECT_EQ(converse(second, 2), 1u);
  handler.note([&] { *isAnswered = true; });
}

TEST_F(GrpcServerTest, EndsConversationsWithAReason) {
  start();
  RawCall call(channel, kConverse);
  ASSERT_EQ(converse(call, 1), 1u);
  server->stop(cancelled("the server was asked to end"));
  grpc::Status status = call.finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(status.error_message(), "the server was asked to end");
}

TEST_F(GrpcServerTest, NamesAnAddressThatIsTaken) {
  start();
  GrpcServerOptions again;
  again.bind = server->address();
  auto second = GrpcServer::listen(again);
  ASSERT_FALSE(second.isOk());
  EXPECT_EQ(second.status().code(), StatusCode::AlreadyExists);
  EXPECT_THAT(second.status().message(), HasSubstr("another process does"));
}

TEST_F(GrpcServerTest, NamesAnAddressOfAnotherMachine) {
  GrpcServerOptions far;
  far.bind = *TaskAddress::parse("192.0.2.1:0"); // reserved for documents
  auto second = GrpcServer::listen(far);
  ASSERT_FALSE(second.isOk());
  EXPECT_THAT(second.status().message(), HasSubstr("no such address"));
}

class UnixSocketTest : public GrpcServerTest {
protected:
  TempFolder folder;
};

TEST_F(UnixSocketTest, ServesItsOwnerOnly) {
  start("unix:" + folder / "s");
  RawCall call(channel, kConverse);
  EXPECT_EQ(converse(call, 1), 1u);
  struct stat file = {};
  ASSERT_EQ(stat((folder / "s").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0077, 0u);
  EXPECT_EQ(checkCanListen(server->address()).code(),
            StatusCode::AlreadyExists);
}

TEST_F(UnixSocketTest, ReplacesASocketOfADeadProcess) {
  start("unix:" + folder / "s");
  // A second name keeps the file when the server removes its own.
  std::filesystem::rename(folder / "s", folder / "old");
  server->stop(cancelled("dies"));
  std::filesystem::rename(folder / "old", folder / "s");
  start("unix:" + folder / "s");
  RawCall call(channel, kConverse);
  EXPECT_EQ(converse(call, 1), 1u);
}

TEST_F(UnixSocketTest, DoesNotReplaceAFile) {
  std::string path = folder / "f";
  close(creat(path.c_str(), 0600));
  GrpcServerOptions taken;
  taken.bind = *TaskAddress::parse("unix:" + path);
  auto second = GrpcServer::listen(taken);
  ASSERT_FALSE(second.isOk());
  EXPECT_THAT(second.status().message(), HasSubstr("is no socket"));
}

} // namespace

} // namespace graphc::runtime
