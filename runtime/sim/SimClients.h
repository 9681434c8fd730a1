// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clients of a simulated cluster and their conversations with tasks.
#ifndef GRAPHC_RUNTIME_SIM_SIMCLIENTS_H
#define GRAPHC_RUNTIME_SIM_SIMCLIENTS_H

#include "runtime/sim/SimNetwork.h"

#include <deque>

namespace graphc::runtime {

/// Thread-safety: one call at a time.
class SimClients final : public ClientChannel {
public:
  SimClients(SimEvents &events, SimHost &host,
             const SimulationOptions &options);
  ~SimClients() override;

  StatusOr<ClientMachine *> add(std::shared_ptr<const Model> plan,
                                const ClientOptions &client);
  void remove(const ClientMachine *machine);
  void wake(const ClientMachine *machine);

  // ClientChannel
  bool canReply(ClientId id) const override;
  void reply(ClientId id, protocol::Reply reply) override;

  void kill(TaskId task);

  void cut(TaskId task, int64_t forNanos);
  /// Nothing has come from the task for too long: both ends give up.
  void giveUp(TaskId task);
  void partition(TaskId task, int64_t forNanos);
  bool isHeld(TaskId task) const {
    return events.now() < routes[task].heldUntil;
  }

private:
  struct Client;
  /// From a client to a task; ClientId counts them from 1.
  struct Conversation {
    Client *client;
    TaskId task;
    bool isOpen = true;
    uint64_t incarnation = 0; ///< of the task; 0: nothing has reached it yet
    int64_t lastToTask = 0, lastToClient = 0;
    size_t repliesOnTheWay = 0;
    mutable bool wasRefused = false;
  };
  struct Route {
    int64_t heldUntil = 0, cutUntil = 0;
  };

  Conversation &conversation(ClientId id) { return conversations[id - 1]; }
  int64_t arrival(const Conversation &conversation, int64_t &last);
  void send(Client &client, TaskId task, protocol::Request request);
  void attempt(ClientId id, const std::shared_ptr<protocol::Request> &request);
  void arrive(ClientId id, const protocol::Reply &reply);
  void end(TaskId task, const Status &why);
  void close(ClientId id, const Status &why, int64_t toldAt);
  void arm(Client &client);

  SimEvents &events;
  SimHost &host;
  const SimulationOptions &options;
  std::vector<std::unique_ptr<Client>> clients;
  std::deque<Conversation> conversations;
  std::vector<Route> routes; ///< by task
};

} // namespace graphc::runtime

#endif
