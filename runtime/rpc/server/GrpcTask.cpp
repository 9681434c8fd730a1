// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/server/GrpcTask.h"

#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/rpc/CallTarget.h"
#include "runtime/rpc/link/GrpcTransport.h"
#include "runtime/rpc/link/LinkDialer.h"
#include "runtime/rpc/server/PeerClaims.h"
#include "runtime/rpc/server/TaskTransports.h"

#include <algorithm>
#include <future>

namespace graphc::runtime {

namespace {
/// Address that others are told for this task: as the cluster has it, unless
/// the system has chosen the port.
StatusOr<std::string> addressToTell(const GrpcTaskOptions &options,
                                    const TaskAddress &listening) {
  if (!options.advertise.empty())
    return options.advertise;
  const std::string &own = options.task.cluster.task(options.task.self).address;
  GRAPHC_ASSIGN_OR_RETURN(TaskAddress address, TaskAddress::parse(own));
  if (!address.isUnix() && address.port == 0)
    address.port = listening.port;
  return address.toString();
}
} // namespace

struct GrpcTask::State final : ServiceHandler {
  GrpcTaskOptions options;
  Meeting self;
  std::string host = hostIdentity();
  PeerClaims claims;
  std::unique_ptr<GrpcServer> server;
  std::unique_ptr<TaskRunner> runner;
  std::unique_ptr<TransportSet> transports;

  // ServiceHandler
  protocol::Reply::Description describe(const std::string &plan) override;
  void onRequest(ClientId client,
                 std::shared_ptr<const protocol::Request> request,
                 std::function<void()> done) override;
  void help() override { runner->help(); }
  int64_t helpingSince() const override { return runner->helpingSince(); }
  void onClientGone(ClientId client) override;
  void onReplyRoom(ClientId client) override;
  StatusOr<Greeting> meet(const Meeting &meeting) override;
  Status acceptLink(const Meeting &meeting) override;
  void onLink(TaskId peer,
              std::unique_ptr<PolledConnection> connection) override;
  void wake() override;

  RunnerHooks hooks();
  std::string nameOf(TaskId task) const;
  void dial(TaskId peer);
  Status onGreeting(TaskId peer, const Greeting &greeting);
  Status openTransports();
  void onDialFailed(TaskId peer, const Status &why);
  bool isMissing(TaskId peer) const;
  Status preload();
};

protocol::Reply::Description
GrpcTask::State::describe(const std::string &plan) {
  protocol::Reply::Description description = runner->describe(plan);
  description.set_host(host);
  return description;
}

void GrpcTask::State::onRequest(
    ClientId client, std::shared_ptr<const protocol::Request> request,
    std::function<void()> done) {
  if (request->has_metrics()) { // not from within a long kernel
    protocol::Reply reply;
    reply.set_id(request->id());
    reply.set_last(true);
    *reply.mutable_metrics() = runner->metrics();
    server->reply(client, std::move(reply));
    return done();
  }
  runner->postQuietly([client, request = std::move(request),
                       done = std::move(done)](TaskNode &node) {
    node.onRequest(client, *request);
    done();
  });
}

void GrpcTask::State::onClientGone(ClientId client) {
  runner->post([client](TaskNode &node) { node.onClientGone(client); });
}

void GrpcTask::State::onReplyRoom(ClientId client) {
  runner->post([client](TaskNode &node) { node.onReplyRoom(client); });
}

void GrpcTask::State::wake() { runner->help(); }

std::string GrpcTask::State::nameOf(TaskId task) const {
  return options.task.cluster.task(task).name();
}

bool GrpcTask::State::isMissing(TaskId peer) const {
  std::vector<TaskId> missing = runner->missingPeers();
  return std::find(missing.begin(), missing.end(), peer) != missing.end();
}

StatusOr<Greeting> GrpcTask::State::meet(const Meeting &meeting) {
  GRAPHC_TRY(claims.check(meeting, self, options.task.cluster,
                          [this](TaskId peer) { return !isMissing(peer); }));
  Greeting greeting;
  greeting.set_task(self.task());
  greeting.set_incarnation(self.incarnation());
  greeting.set_host(host);
  writeAddresses(transports->addresses(), greeting);
  return greeting;
}

Status GrpcTask::State::acceptLink(const Meeting &meeting) {
  GRAPHC_TRY(claims.check(meeting, self, options.task.cluster,
                          [this](TaskId peer) { return !isMissing(peer); }));
  if (!transports->contains(kGrpcTransport))
    return failedPrecondition(nameOf(self.task()) +
                              " was started with --route=shm and takes no "
                              "gRPC link");
  return Status::ok();
}

void GrpcTask::State::onLink(TaskId peer,
                             std::unique_ptr<PolledConnection> connection) {
  runner->postConnection(peer, std::move(connection));
}

RunnerHooks GrpcTask::State::hooks() {
  RunnerHooks hooks;
  hooks.dial = [this](TaskId peer) { dial(peer); };
  hooks.clients = server.get();
  hooks.log = options.log;
  hooks.stop = options.onStop;
  hooks.missing = [this](const std::vector<TaskId> &missing) {
    server->setReady(missing.empty());
  };
  return hooks;
}

void GrpcTask::State::dial(TaskId peer) {
  StatusOr<TaskAddress> address =
      parseTarget(options.task.cluster.task(peer).address);
  if (!address.isOk())
    return onDialFailed(peer, address.status());
  DialEvents events;
  // The link is the business of the transports.
  events.onGreeting = [this, peer](const Greeting &greeting) -> StatusOr<bool> {
    GRAPHC_TRY(onGreeting(peer, greeting));
    return false;
  };
  events.onFailure = [this, peer](const Status &why) {
    onDialFailed(peer, why);
  };
  server->dial(peer, *address, self, std::move(events));
}

Status GrpcTask::State::onGreeting(TaskId peer, const Greeting &greeting) {
  const ClusterTask &task = options.task.cluster.task(peer);
  if (greeting.task() != peer)
    return failedPrecondition(
        "the task at " + task.address + " has number " +
        std::to_string(greeting.task()) + ", but " + nameOf(peer) +
        " is expected there; all tasks need the same cluster");
  transports->connect(
      readGreeting(greeting, task),
      [this, peer](StatusOr<std::unique_ptr<PolledConnection>> connection) {
        if (connection.isOk())
          runner->postConnection(peer, std::move(*connection));
        else
          onDialFailed(peer, connection.status());
      });
  return Status::ok();
}

Status GrpcTask::State::openTransports() {
  TransportHost own;
  own.self = self.task();
  own.host = host;
  own.doorbell = runner->doorbell();
  own.onConnection = [this](TaskId peer,
                            std::unique_ptr<PolledConnection> connection) {
    runner->postConnection(peer, std::move(connection));
  };
  GRAPHC_ASSIGN_OR_RETURN(
      transports, TransportSet::open(taskTransports(options.route, *server,
                                                    self, [this] { wake(); }),
                                     own));
  return Status::ok();
}

void GrpcTask::State::onDialFailed(TaskId peer, const Status &why) {
  if (claims.isNews(peer, why))
    options.log(Severity::Warning,
                nameOf(peer) + " refuses this task: " + why.message());
  runner->post([peer, why](TaskNode &node) { node.onDialFailed(peer, why); });
}

/// Loads on the task's thread, before anyone can ask for the plan.
Status GrpcTask::State::preload() {
  for (const std::string &file : options.planFiles) {
    auto result = std::make_shared<std::promise<Status>>();
    runner->post([file, result](TaskNode &node) {
      result->set_value(node.machine().load(file));
    });
    GRAPHC_TRY(result->get_future().get().annotate(file));
  }
  return Status::ok();
}

GrpcTask::GrpcTask() = default;

GrpcTask::~GrpcTask() { shutDown("the task is ending"); }

StatusOr<std::unique_ptr<GrpcTask>> GrpcTask::start(GrpcTaskOptions options) {
  std::unique_ptr<GrpcTask> task(new GrpcTask());
  task->state = std::make_unique<State>();
  State &state = *task->state;
  GRAPHC_ASSIGN_OR_RETURN(state.server, GrpcServer::listen(options.server));
  std::vector<ClusterTask> tasks = options.task.cluster.tasks();
  GRAPHC_ASSIGN_OR_RETURN(tasks[options.task.self].address,
                          addressToTell(options, state.server->address()));
  GRAPHC_ASSIGN_OR_RETURN(options.task.cluster,
                          ClusterSpec::make(std::move(tasks)));
  state.self.set_task(options.task.self);
  state.self.set_incarnation(options.task.incarnation);
  state.self.set_cluster_digest(options.task.cluster.digest());
  state.self.set_protocol(kProtocolVersion);
  state.options = std::move(options);
  GRAPHC_ASSIGN_OR_RETURN(state.runner, TaskRunner::create(state.options.task,
                                                           state.options.links,
                                                           state.hooks()));
  GRAPHC_TRY(state.openTransports());
  state.runner->start();
  GRAPHC_TRY(state.preload());
  state.server->start(state);
  return task;
}

const TaskAddress &GrpcTask::address() const {
  return state->server->address();
}

const std::string &GrpcTask::advertised() const {
  const TaskOptions &task = state->options.task;
  return task.cluster.task(task.self).address;
}

std::vector<TaskId> GrpcTask::missingPeers() const {
  return state->runner->missingPeers();
}

std::vector<MetricFamily> GrpcTask::metrics() const {
  return state->runner->registry().collect();
}

size_t GrpcTask::clients() const { return state->server->clients(); }

void GrpcTask::shutDown(const std::string &reason) {
  if (!state)
    return;
  // First the runs, whose clients are told; then who brings anything new.
  if (state->runner)
    state->runner->shutDown(reason);
  if (state->server)
    state->server->stop(unavailable(reason));
  state.reset();
}

} // namespace graphc::runtime
