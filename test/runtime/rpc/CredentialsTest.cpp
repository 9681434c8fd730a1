// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Certificates: made, read, refused; and what their roles allow.
#include "runtime/rpc/Credentials.h"
#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/rpc/GrpcConnector.h"
#include "runtime/rpc/MakeCerts.h"
#include "runtime/rpc/Metadata.h"
#include "runtime/rpc/link/LinkDialer.h"
#include "runtime/rpc/service.grpc.pb.h"
#include "test/runtime/rpc/FakeHandler.h"
#include "test/runtime/rpc/RawCall.h"
#include "test/runtime/rpc/TempFolder.h"

#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <sys/stat.h>

namespace graphc::runtime {

namespace {

using ::testing::HasSubstr;

TEST(MakeCertsTest, MakesWhatLoadReads) {
  TempFolder folder;
  ASSERT_TRUE(makeCertificates(folder / "c", {"node1.example"}).isOk());
  for (const char *name : {"c/task", "c/client"}) {
    auto loaded = Credentials::load(folder / name);
    ASSERT_TRUE(loaded.isOk()) << loaded.status().toString();
    EXPECT_TRUE(loaded->isTls());
  }
  for (const char *key : {"c/ca/key.pem", "c/task/key.pem"}) {
    struct stat file = {};
    ASSERT_EQ(stat((folder / key).c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600u);
  }
}

TEST(MakeCertsTest, NeverOverwrites) {
  TempFolder folder;
  ASSERT_TRUE(makeCertificates(folder / "c", {}).isOk());
  Status again = makeCertificates(folder / "c", {});
  EXPECT_EQ(again.code(), StatusCode::AlreadyExists);
  EXPECT_THAT(again.message(), HasSubstr("not overwritten"));
  EXPECT_EQ(makeCertificates(folder / "d", {"a,URI:graphc:role/task"}).code(),
            StatusCode::InvalidArgument);
}

TEST(CredentialsTest, NamesWhatIsWrongWithAFolder) {
  TempFolder folder;
  auto none = Credentials::load(folder / "none");
  ASSERT_FALSE(none.isOk());
  EXPECT_THAT(none.status().message(), HasSubstr("ca.pem"));
  ASSERT_TRUE(makeCertificates(folder / "c", {}).isOk());
  chmod((folder / "c/task/key.pem").c_str(), 0644);
  EXPECT_EQ(Credentials::load(folder / "c/task").status().code(),
            StatusCode::PermissionDenied);
  std::filesystem::copy_file(folder / "c/client/key.pem",
                             folder / "c/task/key.pem",
                             std::filesystem::copy_options::overwrite_existing);
  chmod((folder / "c/task/key.pem").c_str(), 0600);
  EXPECT_THAT(Credentials::load(folder / "c/task").status().message(),
              HasSubstr("is not the key of cert.pem"));
  std::ofstream(folder / "c/task/cert.pem") << "nothing";
  EXPECT_THAT(Credentials::load(folder / "c/task").status().message(),
              HasSubstr("is no certificate"));
}

TEST(CredentialsTest, PlainTextIsForThisMachineOnly) {
  Credentials none, tls;
  tls.ca = "x";
  for (const char *here :
       {"localhost:1", "127.0.0.1:1", "[::1]:1", "unix:/tmp/x"})
    EXPECT_TRUE(checkExposure(here, none, false).isOk()) << here;
  for (const char *wide : {"0.0.0.0:1", "[::]:1", "node1:1", "10.0.0.1:1"}) {
    Status refused = checkExposure(wide, none, false);
    EXPECT_EQ(refused.code(), StatusCode::FailedPrecondition) << wide;
    EXPECT_THAT(refused.message(), HasSubstr("--tls-dir"));
    EXPECT_TRUE(checkExposure(wide, none, true).isOk()) << wide;
    EXPECT_TRUE(checkExposure(wide, tls, false).isOk()) << wide;
  }
}

TEST(CredentialsTest, RolesAreNamesOfTheCertificate) {
  TempFolder folder;
  ASSERT_TRUE(makeCertificates(folder / "c", {"node1"}).isOk());
  Credentials task = *Credentials::load(folder / "c/task");
  Credentials client = *Credentials::load(folder / "c/client");
  EXPECT_EQ(Roles::ofCertificate(task.cert).toString(), "the role 'task'");
  EXPECT_EQ(Roles::ofCertificate(client.cert).toString(), "the role 'client'");
  EXPECT_EQ(Roles::ofCertificate(task.ca).toString(), "no role");
  EXPECT_EQ(Roles::ofCertificate("nothing").toString(), "no role");
  EXPECT_EQ(Roles::all().toString(), "the roles 'client' and 'task'");

  EXPECT_TRUE(checkOwnRole({}, "", true).isOk());
  EXPECT_TRUE(checkOwnRole(task, "T", true).isOk());
  EXPECT_TRUE(checkOwnRole(client, "C", false).isOk());
  EXPECT_EQ(checkOwnRole(client, "C", true).message(),
            "C/cert.pem has the role 'client', but a server needs the role "
            "'task'; give --tls-dir the folder for it ('graphc-server "
            "--make-certs DIR' makes DIR/task)");
  EXPECT_THAT(checkOwnRole(task, "T", false).message(),
              HasSubstr("T/cert.pem has the role 'task', but a client needs"));
}

class TlsTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(makeCertificates(folder / "c", {}).isOk());
    ASSERT_TRUE(makeCertificates(folder / "other", {}).isOk());
    start("c/task");
  }
  void TearDown() override { server->stop(cancelled("the test ends")); }

  /// Serves with the certificate of a folder.
  void start(const std::string &name) {
    GrpcServerOptions options;
    options.bind = *TaskAddress::parse("localhost:0");
    options.credentials = load(name);
    auto made = GrpcServer::listen(options);
    ASSERT_TRUE(made.isOk()) << made.status().toString();
    if (server)
      server->stop(cancelled("another takes its place"));
    server = std::move(*made);
    handler.server = server.get();
    server->start(handler);
  }

  Credentials load(const std::string &name) {
    auto loaded = Credentials::load(folder / name);
    EXPECT_TRUE(loaded.isOk()) << loaded.status().toString();
    return loaded.isOk() ? *loaded : Credentials();
  }
  grpc::Status describe(const Credentials &credentials) {
    auto stub =
        graphc::Task::NewStub(makeChannel(server->address(), credentials));
    grpc::ClientContext context;
    protocol::Reply::Description answer;
    return stub->Describe(&context, {}, &answer);
  }
  /// Status of a call that sends an empty message.
  grpc::Status open(const char *method, const Credentials &credentials) {
    RawCall call(makeChannel(server->address(), credentials), method,
                 {{kTaskKey, "0"},
                  {kIncarnationKey, "5"},
                  {kClusterKey, "7"},
                  {kProtocolKey, "x"}});
    call.write("");
    return call.finish();
  }

  TempFolder folder;
  FakeHandler handler;
  std::unique_ptr<GrpcServer> server;
};

TEST_F(TlsTest, AdmitsOnlyItsOwnAuthority) {
  EXPECT_TRUE(describe(load("c/client")).ok());
  EXPECT_TRUE(describe(load("c/task")).ok());
  EXPECT_FALSE(describe(load("other/client")).ok());
  EXPECT_FALSE(describe({}).ok());
}

TEST_F(TlsTest, RolesDecideWhatACallerMayDo) {
  grpc::Status link = open("/graphc.Task/Link", load("c/client"));
  EXPECT_EQ(link.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(link.error_message(),
              HasSubstr("has the role 'client', but this call needs the role "
                        "'task'"));
  grpc::Status converse = open("/graphc.Task/Converse", load("c/task"));
  EXPECT_EQ(converse.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(converse.error_message(), HasSubstr("role 'client'"));
  grpc::Status meet = open("/graphc.Task/Meet", load("c/client"));
  EXPECT_EQ(meet.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  // With the right role it is the call itself that is wrong.
  grpc::Status task = open("/graphc.Task/Link", load("c/task"));
  EXPECT_EQ(task.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

/// A server with the certificate of a client has a name that is right, but it
/// is no task.
TEST_F(TlsTest, SingleQuestionsAreNotForAServerThatIsNoTask) {
  start("c/client");
  Credentials own = load("c/client");
  std::vector<std::string> targets = {server->address().toString()};
  StatusOr<ClusterSpec> found = discoverCluster(targets, own, 1'000'000'000);
  EXPECT_EQ(found.status().code(), StatusCode::PermissionDenied);
  EXPECT_THAT(found.status().message(),
              HasSubstr("has the role 'client', but a server needs the role "
                        "'task'"));
  protocol::Request request;
  request.mutable_stop();
  StatusOr<protocol::Reply> reply =
      callTask(targets[0], request, own, 1'000'000'000);
  EXPECT_EQ(reply.status().code(), StatusCode::PermissionDenied);
  EXPECT_THAT(reply.status().message(), HasSubstr("the role 'task'"));
  EXPECT_EQ(handler.requests, 0u);
}

TEST_F(TlsTest, TasksDoNotLinkWithAServerThatIsNoTask) {
  FakeHandler callers;
  GrpcServerOptions options;
  options.bind = *TaskAddress::parse("localhost:0");
  options.credentials = load("c/task");
  auto made = GrpcServer::listen(options);
  ASSERT_TRUE(made.isOk()) << made.status().toString();
  std::unique_ptr<GrpcServer> caller = std::move(*made);
  callers.server = caller.get();
  caller->start(callers);
  Meeting self;
  self.set_incarnation(5);
  self.set_protocol(kProtocolVersion);
  auto dial = [&] {
    std::promise<Status> result;
    DialEvents events;
    events.onGreeting = [](const Greeting &) -> StatusOr<bool> { return true; };
    events.onConnection = [&](auto) { result.set_value(Status::ok()); };
    events.onFailure = [&](const Status &why) { result.set_value(why); };
    events.wake = [] {};
    caller->dial(1, server->address(), self, std::move(events));
    return result.get_future().get();
  };
  EXPECT_TRUE(dial().isOk());
  start("c/client");
  Status refused = dial();
  EXPECT_EQ(refused.code(), StatusCode::PermissionDenied);
  EXPECT_THAT(refused.message(),
              HasSubstr("has the role 'client', but a server needs the role "
                        "'task'"));
  caller->stop(cancelled("the test ends"));
}

} // namespace

} // namespace graphc::runtime
