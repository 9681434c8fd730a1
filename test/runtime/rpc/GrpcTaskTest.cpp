// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that find each other and answer clients.
#include "runtime/rpc/server/GrpcTask.h"
#include "runtime/base/Clock.h"
#include "runtime/rpc/GrpcConnector.h"
#include "runtime/rpc/server/HealthService.h"
#include "test/runtime/rpc/RawCall.h"
#include "test/runtime/rpc/TempFolder.h"

#include <gmock/gmock.h>
#include <random>
#include <thread>

namespace graphc::runtime {

namespace {

using ::testing::HasSubstr;

constexpr int64_t kMaxNanos = 20'000'000'000;

/// A cluster of tasks in this process, at unix sockets.
class GrpcTaskTest : public ::testing::Test {
protected:
  void makeCluster(size_t tasks) {
    std::vector<ClusterTask> list;
    for (uint32_t i = 0; i < tasks; ++i)
      list.push_back({"worker", i, "unix:" + folder / std::to_string(i)});
    auto made = ClusterSpec::make(list);
    ASSERT_TRUE(made.isOk()) << made.status().toString();
    cluster = *made;
  }

  std::unique_ptr<GrpcTask> start(TaskId self, uint64_t incarnation,
                                  Route route = Route::Auto,
                                  const std::string &bind = "") {
    GrpcTaskOptions options;
    options.task.cluster = cluster;
    options.task.self = self;
    options.task.incarnation = incarnation;
    options.task.threads = 1;
    options.server.bind =
        *TaskAddress::parse(bind.empty() ? cluster.task(self).address : bind);
    options.route = route;
    options.log = [this](Severity, std::string_view text) {
      std::lock_guard lock(mutex);
      lines += std::string(text) + "\n";
    };
    options.onStop = [this] { isStopped = true; };
    auto task = GrpcTask::start(std::move(options));
    EXPECT_TRUE(task.isOk()) << task.status().toString();
    return task.isOk() ? std::move(*task) : nullptr;
  }

  template <typename Condition> bool waitFor(Condition isTrue) {
    int64_t end = nowNanos() + kMaxNanos;
    while (!isTrue())
      if (nowNanos() > end)
        return false;
      else
        std::this_thread::yield();
    return true;
  }
  static bool isReady(const std::unique_ptr<GrpcTask> &task) {
    return task->missingPeers().empty();
  }
  bool hasLogged(const std::string &text) {
    std::lock_guard lock(mutex);
    return lines.find(text) != std::string::npos;
  }
  StatusOr<protocol::Reply> ask(TaskId task, protocol::Request request) {
    return callTask(cluster.task(task).address, std::move(request), {},
                    kMaxNanos);
  }

  TempFolder folder;
  ClusterSpec cluster;
  std::atomic<bool> isStopped = false;
  std::mutex mutex;
  std::string lines;
};

class RouteTest : public GrpcTaskTest,
                  public ::testing::WithParamInterface<Route> {};

TEST_P(RouteTest, TasksFindEachOtherInAnyOrder) {
  makeCluster(3);
  auto last = start(2, 30, GetParam());
  auto first = start(0, 10, GetParam());
  auto second = start(1, 20, GetParam());
  EXPECT_TRUE(waitFor(
      [&] { return isReady(first) && isReady(second) && isReady(last); }));
  second.reset();
  EXPECT_TRUE(waitFor([&] { return !isReady(first) && !isReady(last); }));
  second = start(1, 21, GetParam());
  EXPECT_TRUE(waitFor(
      [&] { return isReady(first) && isReady(second) && isReady(last); }));
}

INSTANTIATE_TEST_SUITE_P(All, RouteTest,
                         ::testing::Values(Route::Auto, Route::Shm,
                                           Route::Grpc));

TEST_F(GrpcTaskTest, DiffersInRoute) {
  makeCluster(2);
  auto first = start(0, 10, Route::Shm), second = start(1, 20, Route::Grpc);
  EXPECT_TRUE(waitFor([&] { return hasLogged("--route=shm needs it here"); }));
}

TEST_F(GrpcTaskTest, RefusesASecondProcessOfTheSameTask) {
  makeCluster(2);
  auto first = start(0, 10), second = start(1, 20);
  ASSERT_TRUE(waitFor([&] { return isReady(first) && isReady(second); }));
  auto twin = start(0, 11, Route::Auto, "unix:" + folder / "twin");
  EXPECT_TRUE(waitFor([&] {
    return hasLogged("another process claims to be /job:worker/task:0");
  }));
  EXPECT_TRUE(isReady(second));
  EXPECT_FALSE(isReady(twin));
  first.reset(); // then it may
  EXPECT_TRUE(waitFor([&] { return isReady(twin); }));
}

TEST_F(GrpcTaskTest, ItsServiceIsHealthyWhileAllPeersAreThere) {
  makeCluster(2);
  auto first = start(0, 10);
  auto stub =
      grpc::health::v1::Health::NewStub(makeChannel(first->address(), {}));
  auto isHealthy = [&](const char *service) {
    grpc::ClientContext context;
    HealthService::Question question;
    HealthService::Answer answer;
    question.set_service(service);
    EXPECT_TRUE(stub->Check(&context, question, &answer).ok());
    return answer.status() == HealthService::Answer::SERVING;
  };
  EXPECT_TRUE(isHealthy(""));
  EXPECT_FALSE(isHealthy("graphc.Task"));
  auto second = start(1, 20);
  EXPECT_TRUE(waitFor([&] { return isHealthy("graphc.Task"); }));
  second.reset();
  EXPECT_TRUE(waitFor([&] { return !isHealthy("graphc.Task"); }));
  EXPECT_TRUE(isHealthy(""));
}

TEST_F(GrpcTaskTest, ClientsLearnTheClusterFromAnyTask) {
  makeCluster(2);
  auto second = start(1, 20);
  std::vector<std::string> targets = {cluster.task(0).address,
                                      cluster.task(1).address};
  auto learned = discoverCluster(targets, {}, kMaxNanos);
  ASSERT_TRUE(learned.isOk()) << learned.status().toString();
  EXPECT_EQ(learned->json(), cluster.json());
}

TEST_F(GrpcTaskTest, NamesTargetsWhereNobodyIs) {
  std::vector<std::string> targets = {"grpc://unix:" + folder / "nobody"};
  auto learned = discoverCluster(targets, {}, 200'000'000);
  ASSERT_FALSE(learned.isOk());
  EXPECT_EQ(learned.status().code(), StatusCode::Unavailable);
  EXPECT_THAT(learned.status().message(), HasSubstr(targets[0]));
  EXPECT_EQ(discoverCluster({}, {}, 1).status().code(),
            StatusCode::InvalidArgument);
  auto reply = callTask(targets[0], {}, {}, kMaxNanos);
  EXPECT_EQ(reply.status().code(), StatusCode::Unavailable);
}

TEST_F(GrpcTaskTest, AnswersSingleQuestions) {
  makeCluster(1);
  auto task = start(0, 10);
  protocol::Request request;
  request.mutable_describe();
  auto described = ask(0, request);
  ASSERT_TRUE(described.isOk()) << described.status().toString();
  EXPECT_EQ(described->description().task(), "/job:worker/task:0");
  EXPECT_EQ(described->description().incarnation(), 10u);
  request.mutable_stop();
  EXPECT_TRUE(ask(0, request).isOk());
  EXPECT_TRUE(waitFor([&] { return isStopped.load(); }));
}

/// Every kind of request with whatever numbers and names: each gets an answer.
TEST_F(GrpcTaskTest, StaysWithSenselessRequests) {
  makeCluster(2);
  auto first = start(0, 10), second = start(1, 20);
  std::mt19937 random(3);
  auto channel = makeChannel(first->address(), {});
  auto number = [&random] {
    static constexpr uint64_t kNumbers[] = {0, 1, 2, 1ull << 40, UINT64_MAX};
    return kNumbers[random() % 5];
  };
  size_t sent = 0;
  for (int round = 0; round < 20; ++round) {
    RawCall call(channel, "/graphc.Task/Converse");
    for (int i = 0; i < 20; ++i) {
      protocol::Request request;
      request.set_id(number());
      request.set_deadline_ms(random() % 3);
      const auto *type = request.GetDescriptor();
      const auto *field = type->FindFieldByNumber(10 + int(random() % 13));
      if (!field || field->name() == "stop")
        continue;
      auto *action = request.GetReflection()->MutableMessage(&request, field);
      const auto *inner = action->GetDescriptor();
      for (int f = 0; f < inner->field_count(); ++f) {
        const auto *part = inner->field(f);
        if (part->is_repeated() || random() % 3 == 0)
          continue;
        if (part->cpp_type() == part->CPPTYPE_UINT64)
          action->GetReflection()->SetUInt64(action, part, number());
        else if (part->cpp_type() == part->CPPTYPE_STRING)
          action->GetReflection()->SetString(action, part,
                                             random() % 2 ? "x" : "");
        else if (part->cpp_type() == part->CPPTYPE_MESSAGE &&
                 part->message_type()->name() == "Chunk") {
          protocol::Chunk chunk;
          chunk.set_offset(number());
          chunk.set_total(number());
          chunk.set_data(std::string(random() % 100, 'd'));
          action->GetReflection()
              ->MutableMessage(action, part)
              ->CopyFrom(chunk);
        }
      }
      if (!call.write(request.SerializeAsString()))
        break;
      ++sent;
    }
  }
  EXPECT_GT(sent, 200u);
  protocol::Request request;
  request.mutable_waits();
  auto reply = ask(0, request);
  EXPECT_TRUE(reply.isOk()) << reply.status().toString();
}

} // namespace

} // namespace graphc::runtime
