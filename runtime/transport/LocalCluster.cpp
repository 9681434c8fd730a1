// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/LocalCluster.h"

#include "runtime/base/host/Cores.h"
#include "runtime/base/ThreadAnnotations.h"
#include "runtime/transport/LocalClient.h"
#include "runtime/transport/shm/ShmTransport.h"

#include <algorithm>
#include <map>
#include <random>

namespace graphc::runtime {

namespace {
uint64_t randomIncarnation() {
  std::random_device random;
  return (uint64_t(random()) << 32 | random()) | 1;
}

int threadsOf(const LocalClusterOptions &options) {
  if (options.threads > 0)
    return options.threads;
  size_t cores = usableCores();
  return int(std::max<size_t>(1, cores / options.cluster.size()));
}
} // namespace

struct LocalCluster::State final : std::enable_shared_from_this<State>,
                                   ClientChannel {
  class Connector;

  LocalClusterOptions options;
  std::vector<std::unique_ptr<TaskRunner>> runners;
  std::vector<std::unique_ptr<TransportSet>> transports; ///< by task

  mutable Mutex mutex;
  struct Client {
    TaskId task;
    std::shared_ptr<LocalInbox> inbox;
  };
  std::map<ClientId, Client> clients GRAPHC_GUARDED_BY(mutex);
  ClientId lastClient GRAPHC_GUARDED_BY(mutex) = 0;
  std::vector<bool> isGone GRAPHC_GUARDED_BY(mutex); ///< by task

  // ClientChannel
  bool canReply(ClientId id) const override;
  void reply(ClientId id, protocol::Reply reply) override;

  Status makeRunner(TaskId task);
  void dial(TaskId self, TaskId peer);
  std::optional<Client> find(ClientId client) const;
  void lose(TaskId task, const Status &why);
};

void LocalCluster::State::dial(TaskId self, TaskId peer) {
  auto onConnected =
      [this, self,
       peer](StatusOr<std::unique_ptr<PolledConnection>> connection) {
        if (connection.isOk())
          return runners[self]->postConnection(peer, std::move(*connection));
        runners[self]->post([peer, why = connection.status()](TaskNode &node) {
          node.onDialFailed(peer, why);
        });
      };
  {
    MutexLock lock(mutex);
    if (isGone[peer])
      return onConnected(unavailable("the task has ended"));
  }
  transports[self]->connect({peer, options.cluster.task(peer).name(), "",
                             transports[peer]->addresses()},
                            onConnected);
}

std::optional<LocalCluster::State::Client>
LocalCluster::State::find(ClientId client) const {
  MutexLock lock(mutex);
  auto found = clients.find(client);
  if (found == clients.end())
    return std::nullopt;
  return found->second;
}

bool LocalCluster::State::canReply(ClientId id) const {
  std::optional<Client> client = find(id);
  return !client || client->inbox->hasRoom();
}

void LocalCluster::State::reply(ClientId id, protocol::Reply reply) {
  if (std::optional<Client> client = find(id))
    client->inbox->push({client->task, std::move(reply), Status::ok()});
}

/// Clients of the task are told that it is gone.
void LocalCluster::State::lose(TaskId task, const Status &why) {
  MutexLock lock(mutex);
  if (isGone[task])
    return;
  isGone[task] = true;
  for (auto &[id, client] : clients)
    if (client.task == task)
      client.inbox->push({task, std::nullopt, why});
}

Status LocalCluster::State::makeRunner(TaskId task) {
  TaskOptions own;
  own.cluster = options.cluster;
  own.self = task;
  own.incarnation = randomIncarnation();
  own.threads = threadsOf(options);
  own.virtualGpus = options.virtualGpus;
  own.shareGpus = options.shareGpus;
  own.cpuLevel = options.cpuLevel;
  own.stallNanos = options.stallNanos;
  RunnerHooks hooks;
  hooks.dial = [this, task](TaskId peer) { dial(task, peer); };
  hooks.clients = this;
  if (options.log)
    hooks.log = [this, task](Severity severity, std::string_view text) {
      options.log(task, severity, text);
    };
  hooks.stop = [this, task] {
    lose(task, unavailable("the task was asked to stop"));
  };
  GRAPHC_ASSIGN_OR_RETURN(
      auto runner,
      TaskRunner::create(std::move(own), options.links, std::move(hooks)));
  TransportHost host;
  host.self = task;
  host.doorbell = runner->doorbell();
  host.onConnection =
      [runner = runner.get()](TaskId peer,
                              std::unique_ptr<PolledConnection> connection) {
        runner->postConnection(peer, std::move(connection));
      };
  runners.push_back(std::move(runner));
  GRAPHC_ASSIGN_OR_RETURN(auto opened,
                          TransportSet::open(options.transports, host));
  transports.push_back(std::move(opened));
  return Status::ok();
}

/// One client's conversations.
class LocalCluster::State::Connector final : public TaskConnector {
public:
  Connector(std::shared_ptr<State> cluster, std::shared_ptr<LocalInbox> inbox)
      : cluster(std::move(cluster)), inbox(std::move(inbox)),
        conversations(this->cluster->options.cluster.size()) {}

  ~Connector() override {
    for (TaskId task = 0; task < conversations.size(); ++task)
      if (conversations[task])
        close(task);
  }

  void send(TaskId task, protocol::Request request) override {
    if (task >= conversations.size())
      return;
    if (!conversations[task] && !open(task))
      return inbox->push(
          {task, std::nullopt, unavailable("the task has ended")});
    auto held = std::make_shared<protocol::Request>(std::move(request));
    cluster->runners[task]->post(
        [client = conversations[task], held](TaskNode &node) {
          node.onRequest(client, *held);
        });
  }

  void pump(ClientMachine &machine, int64_t untilNanos) override {
    if (!inbox->pump(machine, untilNanos))
      return;
    for (TaskId task = 0; task < conversations.size(); ++task)
      if (ClientId client = conversations[task])
        cluster->runners[task]->post(
            [client](TaskNode &node) { node.onReplyRoom(client); });
  }

  void interrupt() override { inbox->push({0, std::nullopt, Status::ok()}); }

private:
  bool open(TaskId task) {
    MutexLock lock(cluster->mutex);
    if (cluster->isGone[task])
      return false;
    ClientId client = ++cluster->lastClient;
    cluster->clients[client] = {task, inbox};
    conversations[task] = client;
    return true;
  }

  void close(TaskId task) {
    ClientId client = conversations[task];
    {
      MutexLock lock(cluster->mutex);
      cluster->clients.erase(client);
    }
    cluster->runners[task]->post(
        [client](TaskNode &node) { node.onClientGone(client); });
  }

  std::shared_ptr<State> cluster;
  std::shared_ptr<LocalInbox> inbox;
  std::vector<ClientId> conversations; ///< by task; 0: none yet
};

LocalCluster::LocalCluster() : state(std::make_shared<State>()) {}

StatusOr<std::unique_ptr<LocalCluster>>
LocalCluster::start(LocalClusterOptions options) {
  if (options.cluster.size() == 0)
    return invalidArgument("a cluster needs at least one task");
  std::unique_ptr<LocalCluster> cluster(new LocalCluster());
  State &state = *cluster->state;
  state.options = std::move(options);
  if (state.options.transports.empty())
    state.options.transports = {inprocShmTransport()};
  {
    MutexLock lock(state.mutex);
    state.isGone.resize(state.options.cluster.size());
  }
  for (TaskId task = 0; task < state.options.cluster.size(); ++task)
    GRAPHC_TRY(state.makeRunner(task));
  // All are there before the first one dials.
  for (auto &runner : state.runners)
    runner->start();
  return cluster;
}

LocalCluster::~LocalCluster() {
  for (TaskId task = 0; task < state->runners.size(); ++task)
    stop(task, "the cluster ends");
}

const ClusterSpec &LocalCluster::cluster() const {
  return state->options.cluster;
}

StatusOr<std::unique_ptr<TaskConnector>> LocalCluster::connect() {
  GRAPHC_ASSIGN_OR_RETURN(auto inbox, LocalInbox::create());
  return std::unique_ptr<TaskConnector>(
      std::make_unique<State::Connector>(state, std::move(inbox)));
}

TaskRunner &LocalCluster::runner(TaskId task) { return *state->runners[task]; }

void LocalCluster::stop(TaskId task, const std::string &reason) {
  state->runners[task]->shutDown(reason);
  state->lose(task, unavailable("the task has ended: " + reason));
}

} // namespace graphc::runtime
