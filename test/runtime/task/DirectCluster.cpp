// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/task/DirectCluster.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>

namespace graphc::test {

using namespace runtime;

struct DirectCluster::Node final : TaskHost, ClientChannel, PeerNetwork {
  DirectCluster &all;
  TaskId self;
  bool isUp = true;
  std::map<std::pair<TaskId, uint64_t>, std::vector<std::byte>> places;
  uint64_t nextPlace = 64;
  uint64_t incarnation = 0;
  std::unique_ptr<TaskMachine> machine;

  Node(DirectCluster &all, TaskId self) : all(all), self(self) {
    TaskOptions task;
    task.cluster = all.options.cluster;
    task.self = self;
    task.incarnation = incarnation = ++all.lastIncarnation;
    task.threads = 1;
    if (all.options.change)
      all.options.change(task);
    machine = std::make_unique<TaskMachine>(
        task, TaskEnvironment{*this, *this, *this});
  }

  int64_t nowNanos() const override { return all.clock; }
  int64_t clockMillis() const override { return all.clock / 1'000'000; }
  void connect(TaskId peer) override {}
  bool isPeerUp(TaskId peer) const override {
    return all.up(peer) && !all.cutLinks.count(std::minmax(self, peer));
  }
  void sendFrame(TaskId peer, const FrameHeader &header,
                 std::span<const std::byte> payload) override {
    EXPECT_EQ(header.size, payload.size());
    ++all.framesSent[header.kind];
    if (isPeerUp(peer))
      all.frames[{self, peer}].push_back(
          {header, {payload.begin(), payload.end()}});
  }
  SharedPlace allocateShared(TaskId peer, size_t bytes) override {
    if (!all.options.hasSharedMemory || !all.up(peer))
      return {};
    uint64_t offset = nextPlace;
    nextPlace += bytes + 64;
    std::vector<std::byte> &place = places[{peer, offset}];
    place.resize(bytes);
    return {place.data(), offset};
  }
  void releaseShared(TaskId peer, uint64_t offset) override {
    EXPECT_EQ(places.erase({peer, offset}), 1u);
  }
  PeerPlace peerPlace(TaskId peer, uint64_t offset, size_t bytes) override {
    Node *owner = all.up(peer);
    if (!owner)
      return {};
    auto found = owner->places.upper_bound({self, offset});
    if (found == owner->places.begin() || (--found)->first.first != self)
      return {};
    uint64_t inside = offset - found->first.second;
    if (inside > found->second.size() || bytes > found->second.size() - inside)
      return {};
    return {found->second.data() + inside, {}};
  }
  bool canReply(ClientId client) const override {
    auto found = all.isFull.find(client);
    return found == all.isFull.end() || !found->second;
  }
  void reply(ClientId client, protocol::Reply reply) override {
    if (all.byHand.count(client))
      all.byHand[client].push_back(std::move(reply));
    else
      all.answers[{client, self}].push_back(std::move(reply));
  }
  void log(Severity severity, std::string_view text) override {
    all.log +=
        all.options.cluster.task(self).name() + ": " + std::string(text) + "\n";
  }
  void stop() override { isUp = false; }
  void doAside(std::function<void()> job, std::function<void()> done) override {
    all.jobs.push_back([job, done] {
      job();
      done();
    });
    if (!all.holdsJobs)
      all.doJobs();
  }
};

void DirectCluster::doJobs() {
  for (auto taken = std::exchange(jobs, {}); !taken.empty(); taken.pop_front())
    taken.front()();
}

struct DirectCluster::Client final : ClientEnvironment {
  DirectCluster &all;
  std::map<TaskId, ClientId> conversations;
  std::unique_ptr<ClientMachine> machine;
  std::string statuses;

  explicit Client(DirectCluster &all) : all(all) {}
  int64_t nowNanos() const override { return all.clock; }
  void send(TaskId task, protocol::Request request) override {
    ClientId &id = conversations[task];
    if (id == 0)
      id = ++all.lastClient;
    all.requests[{id, task}].push_back(std::move(request));
  }
  void status(std::string_view text) override {
    all.told += std::string(text) + "\n";
    statuses += std::string(text) + "\n";
  }
};

DirectCluster::DirectCluster(DirectOptions given)
    : options(std::move(given)), random(options.seed) {
  for (TaskId task = 0; task < options.cluster.size(); ++task)
    nodes.push_back(std::make_unique<Node>(*this, task));
}

DirectCluster::~DirectCluster() = default;

DirectCluster::Node *DirectCluster::up(TaskId task) const {
  return task < nodes.size() && nodes[task] && nodes[task]->isUp
             ? nodes[task].get()
             : nullptr;
}

TaskMachine &DirectCluster::task(TaskId task) { return *nodes[task]->machine; }

ClientMachine &DirectCluster::addClient(const ModelBuilder &plan,
                                        ClientOptions client) {
  auto model = Model::fromBytes(plan.finish(), "test.bin");
  EXPECT_TRUE(model.isOk()) << model.status().message();
  clients.push_back(std::make_unique<Client>(*this));
  client.incarnation = 1000 + clients.size();
  auto machine =
      ClientMachine::create(*model, options.cluster, client, *clients.back());
  EXPECT_TRUE(machine.isOk()) << machine.status().message();
  clients.back()->machine = std::move(*machine);
  return *clients.back()->machine;
}

void DirectCluster::removeClient(ClientMachine &machine) {
  auto found = std::ranges::find_if(clients, [&](const auto &client) {
    return client && client->machine.get() == &machine;
  });
  for (auto [task, id] : (*found)->conversations) {
    requests.erase({id, task});
    answers.erase({id, task});
    if (up(task))
      nodes[task]->machine->onClientGone(id);
  }
  clients.erase(found);
}

void DirectCluster::kill(TaskId task) {
  nodes[task].reset();
  std::erase_if(frames, [&](const auto &entry) {
    return entry.first.first == task || entry.first.second == task;
  });
  Status why = unavailable("killed");
  for (auto &node : nodes)
    if (node)
      node->machine->onPeerDown(task, why);
  for (auto &client : clients) {
    auto found = client->conversations.find(task);
    if (found == client->conversations.end())
      continue;
    requests.erase({found->second, task});
    answers.erase({found->second, task});
    client->conversations.erase(found);
    client->machine->onTaskGone(task, why);
  }
}

void DirectCluster::restart(TaskId task) {
  nodes[task] = std::make_unique<Node>(*this, task);
  for (auto &node : nodes)
    if (node && node->self != task)
      node->machine->onPeerUp(task, lastIncarnation);
}

void DirectCluster::cutLink(TaskId one, TaskId other) {
  cutLinks.insert(std::minmax(one, other));
  frames.erase({one, other});
  frames.erase({other, one});
  Status why = unavailable("stopped answering");
  nodes[one]->machine->onPeerDown(other, why);
  nodes[other]->machine->onPeerDown(one, why);
}

void DirectCluster::mendLink(TaskId one, TaskId other) {
  cutLinks.erase(std::minmax(one, other));
  nodes[one]->machine->onPeerUp(other, nodes[other]->incarnation);
  nodes[other]->machine->onPeerUp(one, nodes[one]->incarnation);
}

void DirectCluster::stop(TaskId task) { stopped.insert(task); }

void DirectCluster::goOn(TaskId task) {
  stopped.erase(task);
  for (int look = 0; look < 3; ++look)
    nodes[task]->machine->onTimer();
}

bool DirectCluster::isAwake(TaskId task) const {
  return up(task) && !stopped.count(task);
}

void DirectCluster::deliverFrame(TaskId from, TaskId to) {
  std::deque<Frame> &queue = frames[{from, to}];
  Frame frame = std::move(queue.front());
  queue.pop_front();
  if (Node *node = up(to))
    node->machine->onFrame(from, frame.header, frame.payload);
}

bool DirectCluster::turn() {
  ++count;
  clock += 1000;
  std::vector<std::function<bool()>> choices;
  for (auto &[way, queue] : frames)
    if (!queue.empty() && !stopped.count(way.second))
      choices.push_back([this, way] {
        deliverFrame(way.first, way.second);
        return true;
      });
  for (auto &[way, queue] : requests)
    if (!queue.empty() && isAwake(way.second) &&
        !(hold && hold(queue.front(), way.second)))
      choices.push_back([this, way, &queue] {
        protocol::Request request = std::move(queue.front());
        queue.pop_front();
        if (seeRequest)
          seeRequest(request, way.second);
        nodes[way.second]->machine->onRequest(way.first, request);
        return true;
      });
  for (auto &client : clients)
    for (auto [task, id] : client->conversations)
      if (auto &queue = answers[{id, task}]; !queue.empty())
        choices.push_back(
            [this, task, &queue, machine = client->machine.get()] {
              protocol::Reply reply = std::move(queue.front());
              queue.pop_front();
              if (changeReply)
                changeReply(reply, task);
              machine->onReply(task, reply);
              return true;
            });
  for (auto &node : nodes)
    if (node && isAwake(node->self))
      choices.push_back([&] { return node->machine->advance(); });
  std::shuffle(choices.begin(), choices.end(), random);
  for (auto &choice : choices)
    if (choice())
      return true;
  return false;
}

int64_t DirectCluster::nextTimer() const {
  int64_t next = INT64_MAX;
  for (auto &node : nodes)
    if (node && isAwake(node->self))
      next = std::min(next, node->machine->nextTimer());
  for (auto &client : clients)
    next = std::min(next, client->machine->nextTimer());
  return next;
}

void DirectCluster::runTimers() {
  for (auto &node : nodes)
    if (node && isAwake(node->self) && node->machine->nextTimer() <= clock)
      node->machine->onTimer();
  for (auto &client : clients)
    if (client->machine->nextTimer() <= clock)
      client->machine->onTimer();
}

bool DirectCluster::runUntil(const std::function<bool()> &isDone, int most) {
  int64_t end = clock + 120'000'000'000;
  for (int i = 0; i < most && clock < end; ++i) {
    if (isDone())
      return true;
    if (turn()) {
      if (nextTimer() <= clock)
        runTimers();
      continue;
    }
    int64_t next = nextTimer();
    if (next == INT64_MAX)
      return isDone();
    clock = std::max(clock, next);
    runTimers();
  }
  return isDone();
}

Status DirectCluster::finish(ClientMachine &client) {
  if (runUntil([&] { return !client.isBusy(); }))
    return client.result();
  return internalError("the operation hangs\n" + log);
}

void DirectCluster::settle() {
  for (int i = 0; i < 100'000 && turn(); ++i) {
  }
}

ClientId DirectCluster::openConversation() {
  byHand[++lastClient];
  return lastClient;
}

void DirectCluster::send(ClientId client, TaskId task,
                         const protocol::Request &request) {
  nodes[task]->machine->onRequest(client, request);
}

void DirectCluster::sendFrame(TaskId from, TaskId to, const FrameHeader &header,
                              const Bytes &payload) {
  nodes[to]->machine->onFrame(from, header, payload);
}

size_t DirectCluster::sharedPlaces(TaskId task) const {
  return nodes[task]->places.size();
}

TaskMachine::Residue DirectCluster::residue() const {
  TaskMachine::Residue sum;
  for (auto &node : nodes) {
    if (!node)
      continue;
    TaskMachine::Residue each = node->machine->residue();
    sum.runs += each.runs;
    sum.earlyBytes += each.earlyBytes;
    sum.sharedPlaces += each.sharedPlaces;
  }
  return sum;
}

} // namespace graphc::test
