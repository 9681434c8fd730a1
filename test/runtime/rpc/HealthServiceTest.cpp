// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests what any gRPC server offers to orchestrators and tools: its health, by
// Check and Watch, and its services.
#include "runtime/rpc/server/HealthService.h"
#include "test/runtime/rpc/FakeHandler.h"
#include "test/runtime/rpc/RawCall.h"

#include <gmock/gmock.h>

namespace graphc::runtime {

namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using ::testing::HasSubstr;

constexpr const char *kTaskService = "graphc.Task";

/// A Watch call, which ends with the test.
struct Watch {
  Watch(Health::Stub &stub, const std::string &service) {
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(20));
    HealthCheckRequest request;
    request.set_service(service);
    reader = stub.Watch(&context, request);
  }
  ~Watch() {
    context.TryCancel();
    if (reader)
      finish();
  }
  /// The next status; UNKNOWN: the call has ended.
  HealthCheckResponse::ServingStatus next() {
    HealthCheckResponse answer;
    return reader->Read(&answer) ? answer.status()
                                 : HealthCheckResponse::UNKNOWN;
  }

  /// Final status of the call; once.
  grpc::Status finish() { return std::exchange(reader, nullptr)->Finish(); }

  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReader<HealthCheckResponse>> reader;
};

class HealthServiceTest : public ::testing::Test {
protected:
  void SetUp() override {
    GrpcServerOptions options;
    options.bind = *TaskAddress::parse("localhost:0");
    auto made = GrpcServer::listen(options);
    ASSERT_TRUE(made.isOk()) << made.status().toString();
    server = std::move(*made);
    handler.server = server.get();
    server->start(handler);
    channel = makeChannel(server->address(), {});
    stub = Health::NewStub(channel);
  }
  void TearDown() override { server->stop(cancelled("the test ends")); }

  grpc::Status check(const std::string &service, HealthCheckResponse &answer) {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(service);
    return stub->Check(&context, request, &answer);
  }
  HealthCheckResponse::ServingStatus statusOf(const std::string &service) {
    HealthCheckResponse answer;
    EXPECT_TRUE(check(service, answer).ok());
    return answer.status();
  }

  FakeHandler handler;
  std::unique_ptr<GrpcServer> server;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<Health::Stub> stub;
};

TEST_F(HealthServiceTest, ChecksTheServerAndItsService) {
  EXPECT_EQ(statusOf(""), HealthCheckResponse::SERVING);
  EXPECT_EQ(statusOf(kTaskService), HealthCheckResponse::NOT_SERVING);
  server->setReady(true);
  EXPECT_EQ(statusOf(kTaskService), HealthCheckResponse::SERVING);
}

TEST_F(HealthServiceTest, CheckRefusesAServiceThatItDoesNotKnow) {
  HealthCheckResponse answer;
  grpc::Status status = check("graphc.Tusk", answer);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(),
            "this server has no service 'graphc.Tusk'; ask for the health of "
            "one of '', 'graphc.Task'");
}

TEST_F(HealthServiceTest, WatchTellsEachChange) {
  Watch watch(*stub, kTaskService), other(*stub, "");
  EXPECT_EQ(watch.next(), HealthCheckResponse::NOT_SERVING);
  server->setReady(true);
  EXPECT_EQ(watch.next(), HealthCheckResponse::SERVING);
  server->setReady(true); // no change
  server->setReady(false);
  EXPECT_EQ(watch.next(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(other.next(), HealthCheckResponse::SERVING);
}

TEST_F(HealthServiceTest, WatchEndsWithTheServer) {
  Watch watch(*stub, "");
  EXPECT_EQ(watch.next(), HealthCheckResponse::SERVING);
  server->stop(cancelled("a signal asked the server to end"));
  EXPECT_EQ(watch.next(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(watch.next(), HealthCheckResponse::UNKNOWN);
  EXPECT_EQ(watch.finish().error_message(), "a signal asked the server to end");
}

TEST_F(HealthServiceTest, WatchOfAnUnknownServiceStaysOpen) {
  Watch watch(*stub, "graphc.Tusk");
  EXPECT_EQ(watch.next(), HealthCheckResponse::SERVICE_UNKNOWN);
  server->stop(cancelled("over"));
  EXPECT_EQ(watch.next(), HealthCheckResponse::UNKNOWN);
  EXPECT_EQ(watch.finish().error_message(), "over");
}

TEST_F(HealthServiceTest, TakesOnlySoManyWatches) {
  std::vector<std::unique_ptr<Watch>> all;
  for (size_t i = 0; i < HealthService::kMaxWatches; ++i) {
    all.push_back(std::make_unique<Watch>(*stub, ""));
    ASSERT_EQ(all.back()->next(), HealthCheckResponse::SERVING);
  }
  Watch more(*stub, "");
  EXPECT_EQ(more.next(), HealthCheckResponse::UNKNOWN);
  grpc::Status status = more.finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("64 watches"));
  // Those whose clients have gone make room.
  all.clear();
  auto isRoom = [&] {
    return Watch(*stub, "").next() == HealthCheckResponse::SERVING;
  };
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!isRoom() && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  EXPECT_TRUE(isRoom());
}

TEST_F(HealthServiceTest, RefusesANameThatIsTooLong) {
  Watch watch(*stub, std::string(1000, 'x'));
  EXPECT_EQ(watch.next(), HealthCheckResponse::UNKNOWN);
  EXPECT_EQ(watch.finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

/// Statuses change from other threads while clients come and go.
TEST_F(HealthServiceTest, WatchesComeAndGoWhileStatusesChange) {
  std::atomic<bool> isOver = false;
  std::thread changes([&] {
    for (bool isReady = true; !isOver; isReady = !isReady)
      server->setReady(isReady);
  });
  for (int i = 0; i < 200; ++i) {
    Watch watch(*stub, kTaskService);
    if (i % 2)
      EXPECT_NE(watch.next(), HealthCheckResponse::UNKNOWN);
  }
  isOver = true;
  changes.join();
}

TEST_F(HealthServiceTest, ReflectionListsTheServices) {
  RawCall call(
      channel,
      "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo");
  // ServerReflectionRequest.list_services = "*".
  ASSERT_TRUE(call.write("\x3a\x01*"));
  std::optional<std::string> answer = call.read();
  ASSERT_TRUE(answer);
  EXPECT_THAT(*answer, HasSubstr(kTaskService));
  EXPECT_THAT(*answer, HasSubstr("grpc.health.v1.Health"));
}

} // namespace

} // namespace graphc::runtime
