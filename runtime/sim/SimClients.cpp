// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/sim/SimClients.h"

#include <algorithm>

using namespace graphc::runtime;

namespace {
constexpr size_t kMaxReplies = 16;
constexpr size_t kFewReplies = 8;
constexpr int64_t kNever = INT64_MAX;
} // namespace

struct SimClients::Client final : ClientEnvironment {
  Client(SimClients &clients, size_t number)
      : clients(clients), name("client " + std::to_string(number)),
        open(clients.options.cluster.size()) {}

  int64_t nowNanos() const override { return clients.events.now(); }
  void send(TaskId task, protocol::Request request) override {
    clients.send(*this, task, std::move(request));
  }
  void status(std::string_view text) override {
    clients.events.log(name, text);
  }

  SimClients &clients;
  const std::string name;
  std::unique_ptr<ClientMachine> machine; ///< null: it has left
  std::vector<ClientId> open;             ///< by task; 0: none
  int64_t timerAt = kNever;
};

SimClients::SimClients(SimEvents &events, SimHost &host,
                       const SimulationOptions &options)
    : events(events), host(host), options(options),
      routes(options.cluster.size()) {}

SimClients::~SimClients() = default;

StatusOr<ClientMachine *> SimClients::add(std::shared_ptr<const Model> plan,
                                          const ClientOptions &client) {
  auto added = std::make_unique<Client>(*this, clients.size());
  GRAPHC_ASSIGN_OR_RETURN(
      added->machine,
      ClientMachine::create(std::move(plan), options.cluster, client, *added));
  clients.push_back(std::move(added));
  return clients.back()->machine.get();
}

void SimClients::remove(const ClientMachine *machine) {
  for (auto &client : clients) {
    if (client->machine.get() != machine)
      continue;
    for (ClientId id = 1; id <= conversations.size(); ++id) {
      Conversation &talk = conversation(id);
      if (talk.client != client.get() || !talk.isOpen)
        continue;
      talk.isOpen = false;
      events.at(arrival(talk, talk.lastToTask), [this, id] {
        Conversation &talk = conversation(id);
        host.deliver(talk.task, talk.incarnation,
                     [id](TaskNode &node) { node.onClientGone(id); });
      });
    }
    client->machine.reset();
  }
}

void SimClients::wake(const ClientMachine *machine) {
  for (auto &client : clients)
    if (client->machine.get() == machine)
      arm(*client);
}

/// Always a little later than now, so that time goes on.
void SimClients::arm(Client &client) {
  if (!client.machine)
    return;
  int64_t due = client.machine->nextTimer();
  if (due == kNever || due >= client.timerAt)
    return;
  client.timerAt = std::max(due, events.now() + 1'000);
  events.at(client.timerAt, [this, &client, at = client.timerAt] {
    if (!client.machine || client.timerAt != at)
      return;
    client.timerAt = kNever;
    if (client.machine->nextTimer() <= events.now())
      client.machine->onTimer();
    arm(client);
  });
}

int64_t SimClients::arrival(const Conversation &talk, int64_t &last) {
  int64_t begin = std::max(events.now(), routes[talk.task].heldUntil);
  int64_t when =
      begin + events.between(options.latencyNanos, 2 * options.latencyNanos);
  return last = std::max(when, last + 1);
}

void SimClients::send(Client &client, TaskId task, protocol::Request request) {
  ClientId id = client.open[task];
  if (!id) {
    conversations.push_back({&client, task});
    id = client.open[task] = conversations.size();
  }
  auto shared = std::make_shared<protocol::Request>(std::move(request));
  Conversation &talk = conversation(id);
  events.at(arrival(talk, talk.lastToTask),
            [this, id, shared] { attempt(id, shared); });
}

/// A request reaches the task's machine.
void SimClients::attempt(ClientId id,
                         const std::shared_ptr<protocol::Request> &request) {
  Conversation &talk = conversation(id);
  if (!talk.isOpen)
    return;
  uint64_t incarnation = host.incarnation(talk.task);
  if (!incarnation || events.now() < routes[talk.task].cutUntil)
    return close(id,
                 unavailable(incarnation ? "the network cannot be reached"
                                         : "the connection was refused"),
                 arrival(talk, talk.lastToClient));
  talk.incarnation = incarnation;
  host.deliver(talk.task, incarnation,
               [id, request](TaskNode &node) { node.onRequest(id, *request); });
}

bool SimClients::canReply(ClientId id) const {
  const Conversation &talk = conversations[id - 1];
  talk.wasRefused |= talk.repliesOnTheWay >= kMaxReplies;
  return talk.repliesOnTheWay < kMaxReplies;
}

void SimClients::reply(ClientId id, protocol::Reply reply) {
  Conversation &talk = conversation(id);
  if (!talk.isOpen)
    return;
  ++talk.repliesOnTheWay;
  events.at(arrival(talk, talk.lastToClient),
            [this, id, reply = std::move(reply)] { arrive(id, reply); });
}

void SimClients::arrive(ClientId id, const protocol::Reply &reply) {
  Conversation &talk = conversation(id);
  if (!talk.isOpen)
    return;
  --talk.repliesOnTheWay;
  if (talk.wasRefused && talk.repliesOnTheWay <= kFewReplies) {
    talk.wasRefused = false;
    host.deliver(talk.task, talk.incarnation,
                 [id](TaskNode &node) { node.onReplyRoom(id); });
  }
  Client &client = *talk.client;
  client.machine->onReply(talk.task, reply);
  arm(client);
}

void SimClients::close(ClientId id, const Status &why, int64_t toldAt) {
  conversation(id).isOpen = false;
  events.at(toldAt, [this, id, why] {
    Conversation &talk = conversation(id);
    Client &client = *talk.client;
    if (client.open[talk.task] == id)
      client.open[talk.task] = 0;
    if (!client.machine)
      return;
    client.machine->onTaskGone(talk.task, why);
    arm(client);
  });
}

/// Of all conversations with a task both ends learn that they are over.
void SimClients::end(TaskId task, const Status &why) {
  for (ClientId id = 1; id <= conversations.size(); ++id) {
    Conversation &talk = conversation(id);
    if (talk.task != task || !talk.isOpen || !talk.incarnation)
      continue;
    host.deliver(task, talk.incarnation,
                 [id](TaskNode &node) { node.onClientGone(id); });
    close(id, why, events.now());
  }
}

void SimClients::kill(TaskId task) {
  for (ClientId id = 1; id <= conversations.size(); ++id) {
    Conversation &talk = conversation(id);
    if (talk.task == task && talk.isOpen && talk.incarnation)
      close(id, unavailable("the connection was reset"),
            arrival(talk, talk.lastToClient));
  }
}

void SimClients::cut(TaskId task, int64_t forNanos) {
  int64_t until = events.now() + forNanos;
  routes[task].cutUntil = std::max(routes[task].cutUntil, until);
  end(task, unavailable("the connection was cut"));
}

void SimClients::giveUp(TaskId task) {
  end(task,
      unavailable("the connection is silent: keepalive was not answered"));
}

void SimClients::partition(TaskId task, int64_t forNanos) {
  int64_t until = events.now() + forNanos;
  routes[task].heldUntil = std::max(routes[task].heldUntil, until);
}
