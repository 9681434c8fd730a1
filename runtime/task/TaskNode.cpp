// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/TaskNode.h"

#include "runtime/task/counts/TaskMetrics.h"

#include <algorithm>
#include <cstdio>

using namespace graphc::runtime;

namespace {

constexpr int64_t kNever = INT64_MAX;
constexpr int64_t kRedialNanos = 100'000'000;
/// Between attempts with a peer that breaks the protocol or was started with
/// something else: a person must mend it.
constexpr int64_t kRefusedNanos = 1'000'000'000;
/// Between looks at how fast links are.
constexpr int64_t kPaceNanos = 10'000'000'000;

struct Peer {
  std::unique_ptr<ReliableLink> link; ///< null: the task itself
  bool hasConnection = false;
  bool wasReady = false; ///< over this connection
  uint64_t incarnation = 0;
  bool isDialing = false;
  int64_t nextDial = kNever;
  int64_t connectUntil = kNever; ///< the machine waits for it
  Status failure;                ///< of the last attempt
  bool isSlow = false;           ///< and a warning was given
};

std::string rateText(double bytesPerSecond) {
  char text[32];
  if (bytesPerSecond >= 1e9)
    std::snprintf(text, sizeof text, "%.1f GB/s", bytesPerSecond * 1e-9);
  else
    std::snprintf(text, sizeof text, "%.2g MB/s", bytesPerSecond * 1e-6);
  return text;
}

/// Bytes that a frame brings over: itself, and a value that the receiver reads in
/// place.
double bytesOf(const FrameHeader &frame) {
  uint64_t value =
      frame.kind == FrameKind::InPlace ? frame.total : uint64_t(frame.size);
  return static_cast<double>(sizeof(FrameHeader) + value);
}

} // namespace

struct TaskNode::State final : PeerNetwork, LinkOwner {
  TaskOptions options;
  NodeDriver &driver;
  std::vector<Peer> peers;
  TaskMetrics metrics;
  std::unique_ptr<TaskMachine> machine;
  bool isStarted = false;
  int64_t pacedAt; ///< when paces were looked at last

  State(TaskOptions given, NodeDriver &driver, ClientChannel &clients,
        const LinkOptions &links);

  std::string name(TaskId task) const {
    return options.cluster.task(task).name();
  }
  bool isPeer(TaskId task) const {
    return task < peers.size() && peers[task].link;
  }
  bool dials(TaskId task) const { return options.self < task; }
  void dialNow(TaskId task);
  void dialLater(TaskId task, int64_t delay);
  void settle(TaskId task);
  void refuse(TaskId task, const Status &why);
  void checkPeer(TaskId task, int64_t now);
  void checkPaces(int64_t now);
  int64_t nextTimer() const;

  // LinkOwner
  void onPeerUp(TaskId peer, uint64_t incarnation) override;
  void onPeerDown(TaskId peer, const Status &why) override;
  void onFrame(TaskId peer, const FrameHeader &header,
               const ByteRanges &payload) override {
    metrics.link(peer).receivedBytes.add(bytesOf(header));
    machine->onFrame(peer, header, payload);
  }

  // PeerNetwork
  void connect(TaskId peer) override;
  bool isPeerUp(TaskId peer) const override {
    return isPeer(peer) && peers[peer].link->isUp();
  }
  bool isPeerReady(TaskId peer) const override {
    return isPeer(peer) && peers[peer].link->isReady();
  }
  void sendFrame(TaskId peer, const FrameHeader &header,
                 std::span<const std::byte> payload) override {
    if (!isPeer(peer))
      return;
    metrics.link(peer).sentBytes.add(bytesOf(header));
    peers[peer].link->send(header, payload, driver.nowNanos());
  }
  Connection *connection(TaskId peer) const {
    return isPeer(peer) ? peers[peer].link->connection() : nullptr;
  }
  SharedPlace allocateShared(TaskId peer, size_t bytes) override {
    // A peer that is up writes only where this task has told it to: who was
    // given up, and may still be writing, has sent a handshake again.
    Connection *shared = isPeerUp(peer) ? connection(peer) : nullptr;
    return shared ? shared->allocate(bytes) : SharedPlace{};
  }
  void releaseShared(TaskId peer, uint64_t offset) override {
    driver.releaseShared(peer, offset);
  }
  PeerPlace peerPlace(TaskId peer, uint64_t offset, size_t bytes) override {
    Connection *shared = connection(peer);
    return shared ? shared->peerPlace(offset, bytes) : PeerPlace{};
  }
  bool reaches(TaskId peer, uint64_t offset, size_t bytes) override {
    Connection *shared = connection(peer);
    return shared && shared->reaches(offset, bytes);
  }
  Transfer put(TaskId peer, uint64_t offset,
               std::span<const std::byte> bytes) override {
    Connection *shared = connection(peer);
    return shared ? shared->put(offset, bytes) : Transfer{};
  }
  Transfer::State transferState(TaskId peer, uint64_t id) override {
    Connection *shared = connection(peer);
    return shared ? shared->transferState(id) : Transfer::State::Failed;
  }
};

TaskNode::State::State(TaskOptions given, NodeDriver &driver,
                       ClientChannel &clients, const LinkOptions &links)
    : options(std::move(given)), driver(driver),
      metrics(options.cluster, options.self), pacedAt(driver.nowNanos()) {
  LinkIdentity self{options.self, options.incarnation,
                    options.cluster.digest()};
  peers.resize(options.cluster.size());
  for (TaskId task = 0; task < peers.size(); ++task)
    if (task != options.self)
      peers[task].link =
          std::make_unique<ReliableLink>(self, task, *this, links);
  machine = std::make_unique<TaskMachine>(
      options, TaskEnvironment{driver, clients, *this, &metrics});
}

void TaskNode::State::dialNow(TaskId task) {
  Peer &peer = peers[task];
  peer.isDialing = true;
  peer.nextDial = kNever;
  driver.dial(task);
}

/// The lower task of two keeps trying, so that a peer which comes late or again
/// is found.
void TaskNode::State::dialLater(TaskId task, int64_t delay) {
  if (isStarted && dials(task) && !peers[task].isDialing)
    peers[task].nextDial = driver.nowNanos() + delay;
}

/// Hangs up a connection that the link has left.
void TaskNode::State::settle(TaskId task) {
  Peer &peer = peers[task];
  if (!peer.hasConnection || peer.link->connection())
    return;
  peer.hasConnection = false;
  peer.failure = peer.link->failure();
  driver.hangUp(task, peer.link->failure());
  dialLater(task, kRedialNanos);
}

/// The peer broke the protocol or is another than expected.
void TaskNode::State::refuse(TaskId task, const Status &why) {
  Peer &peer = peers[task];
  if (peer.failure.toString() != why.toString())
    driver.log(Severity::Error,
               "the link to " + name(task) + " is refused: " + why.message());
  peer.failure = why;
  peer.link->onConnectionDown(why, driver.nowNanos());
  if (!peer.hasConnection)
    return;
  peer.hasConnection = false;
  driver.hangUp(task, why);
  dialLater(task, kRefusedNanos);
}

void TaskNode::State::onPeerUp(TaskId task, uint64_t incarnation) {
  peers[task].connectUntil = kNever;
  peers[task].failure = Status::ok();
  peers[task].incarnation = incarnation;
  peers[task].wasReady = peers[task].link->isReady();
  metrics.link(task).isUp.set(1); // measure() comes seldom
  machine->onPeerUp(task, incarnation);
}

void TaskNode::State::onPeerDown(TaskId task, const Status &why) {
  metrics.link(task).losses.add(1);
  metrics.link(task).isUp.set(0);
  machine->onPeerDown(task, why);
}

void TaskNode::State::connect(TaskId task) {
  if (!isPeer(task) || isPeerUp(task))
    return;
  Peer &peer = peers[task];
  if (peer.connectUntil == kNever)
    peer.connectUntil = driver.nowNanos() + options.connectNanos;
  if (isStarted && dials(task) && !peer.hasConnection && !peer.isDialing)
    peer.nextDial = std::min(peer.nextDial, driver.nowNanos());
}

void TaskNode::State::checkPeer(TaskId task, int64_t now) {
  Peer &peer = peers[task];
  if (now >= peer.link->nextTimer())
    peer.link->onTimer(now);
  settle(task);
  if (now >= peer.nextDial && !peer.isDialing && !peer.hasConnection)
    dialNow(task);
  if (now < peer.connectUntil)
    return;
  peer.connectUntil = kNever;
  std::string text = "cannot be reached";
  if (!peer.failure.isOk())
    text += ": " + peer.failure.message();
  else
    text += dials(task) ? ": it has not answered"
                        : ": it has not called; is it running with the same "
                          "cluster?";
  machine->onPeerDown(task, unavailable(std::move(text)));
}

/// Names links that are far slower than this task's others, once.
void TaskNode::State::checkPaces(int64_t now) {
  int64_t nanos = now - std::exchange(pacedAt, now);
  std::vector<LinkSample> samples(peers.size());
  for (TaskId task = 0; task < peers.size(); ++task)
    if (peers[task].link)
      samples[task] = peers[task].link->takePace(now);
  for (TaskId task = 0; task < peers.size(); ++task) {
    std::vector<LinkSample> others = samples;
    others.erase(others.begin() + task);
    auto slow = judgePace(samples[task], others, nanos);
    bool wasSlow = std::exchange(peers[task].isSlow, slow.has_value());
    if (slow && !wasSlow)
      driver.log(Severity::Warning,
                 "the link to " + name(task) +
                     " is slow: " + rateText(slow->bytesPerSecond) +
                     ", where other links of this task carry " +
                     rateText(slow->others) +
                     "; steps wait for it, or for a task that is too busy");
    else if (wasSlow && !slow)
      driver.log(Severity::Info,
                 "the link to " + name(task) + " is no longer slow");
  }
}

int64_t TaskNode::State::nextTimer() const {
  int64_t next = std::min(machine->nextTimer(), pacedAt + kPaceNanos);
  for (const Peer &peer : peers)
    if (peer.link)
      next = std::min(
          {next, peer.link->nextTimer(), peer.nextDial, peer.connectUntil});
  return next;
}

TaskNode::TaskNode(TaskOptions options, NodeDriver &driver,
                   ClientChannel &clients, const LinkOptions &links)
    : state(std::make_unique<State>(std::move(options), driver, clients,
                                    links)) {}

TaskNode::~TaskNode() = default;

TaskMachine &TaskNode::machine() { return *state->machine; }

void TaskNode::start() {
  state->isStarted = true;
  for (TaskId task = 0; task < state->peers.size(); ++task)
    if (state->isPeer(task) && state->dials(task) &&
        !state->peers[task].isDialing && !state->peers[task].hasConnection)
      state->dialNow(task);
}

void TaskNode::onConnectionUp(TaskId task, Connection &connection) {
  if (!state->isPeer(task))
    return;
  Peer &peer = state->peers[task];
  peer.isDialing = false;
  peer.nextDial = kNever;
  peer.hasConnection = true;
  peer.wasReady = false;
  peer.link->onConnectionUp(connection, state->driver.nowNanos());
}

void TaskNode::onConnectionDown(TaskId task, const Status &why) {
  if (!state->isPeer(task))
    return;
  Peer &peer = state->peers[task];
  bool hadConnection = peer.hasConnection;
  peer.hasConnection = false;
  peer.failure = why;
  peer.link->onConnectionDown(why, state->driver.nowNanos());
  state->machine->onTransfersEnded(task); // those that were pending have failed
  if (hadConnection)
    state->dialLater(task, 0);
}

void TaskNode::onDialFailed(TaskId task, const Status &why) {
  if (!state->isPeer(task))
    return;
  Peer &peer = state->peers[task];
  peer.isDialing = false;
  peer.failure = why;
  if (!peer.hasConnection)
    state->dialLater(task, kRedialNanos);
}

void TaskNode::onPacket(TaskId task, const ByteRanges &packet) {
  if (!state->isPeer(task) || !state->peers[task].hasConnection)
    return;
  Peer &peer = state->peers[task];
  Status status = peer.link->onPacket(packet, state->driver.nowNanos());
  if (status.isOk() && !peer.wasReady && peer.link->isReady()) {
    // Another connection to the same process: who waited for one may go on.
    peer.wasReady = true;
    state->machine->onPeerUp(task, peer.incarnation);
  }
  if (status.isOk())
    state->settle(task);
  else
    state->refuse(task, status);
}

void TaskNode::onRoom(TaskId task) {
  if (state->isPeer(task) && state->peers[task].hasConnection)
    state->peers[task].link->onRoom(state->driver.nowNanos());
}

void TaskNode::onTransfersEnded(TaskId task) {
  if (state->isPeer(task) && state->peers[task].hasConnection)
    state->machine->onTransfersEnded(task);
}

void TaskNode::onRequest(ClientId client, const protocol::Request &request) {
  state->machine->onRequest(client, request);
}

void TaskNode::onClientGone(ClientId client) {
  state->machine->onClientGone(client);
}

void TaskNode::onReplyRoom(ClientId client) {
  state->machine->onReplyRoom(client);
}

const MetricRegistry &TaskNode::metrics() const {
  return state->metrics.registry();
}

void TaskNode::measure() {
  for (TaskId task = 0; task < state->peers.size(); ++task)
    if (state->isPeer(task)) {
      LinkMetrics &link = state->metrics.link(task);
      link.isUp.set(state->isPeerUp(task));
      link.queuedBytes.set(
          static_cast<double>(state->peers[task].link->pending()));
    }
  state->machine->measure();
}

bool TaskNode::advance() { return state->machine->advance(); }

void TaskNode::onTimer() {
  int64_t now = state->driver.nowNanos();
  for (TaskId task = 0; task < state->peers.size(); ++task)
    if (state->isPeer(task))
      state->checkPeer(task, now);
  if (now >= state->pacedAt + kPaceNanos)
    state->checkPaces(now);
  if (now >= state->machine->nextTimer())
    state->machine->onTimer();
}

int64_t TaskNode::nextTimer() const { return state->nextTimer(); }

std::vector<TaskId> TaskNode::missingPeers() const {
  std::vector<TaskId> missing;
  for (TaskId task = 0; task < state->peers.size(); ++task)
    if (state->isPeer(task) && !state->isPeerUp(task))
      missing.push_back(task);
  return missing;
}
