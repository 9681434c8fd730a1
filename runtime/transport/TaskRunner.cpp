// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/TaskRunner.h"
#include "runtime/base/ThreadAnnotations.h"

#include "runtime/base/Clock.h"
#include "runtime/base/Futex.h"
#include "runtime/transport/ConnectionSet.h"
#include "runtime/transport/EventQueue.h"
#include "runtime/transport/SpareThread.h"

#include <algorithm>
#include <condition_variable>
#include <thread>

namespace graphc::runtime {

namespace {
constexpr int64_t kSpinNanos = 5'000;
/// A sleeper looks after connections whose peers died, at least so often.
constexpr int64_t kMaxSleepNanos = 100'000'000;
constexpr int64_t kMissingNanos = 50'000'000;  ///< between looks at the links
constexpr int64_t kMeasureNanos = 250'000'000; ///< between measurements
/// Only while this many busy rounds in a row were short, others may help: a
/// thread that helps leaves its own work for as long as a round takes.
constexpr int kCalmRounds = 8;
constexpr int64_t kShortNanos = 300'000;
/// Time for which replies and frames still go out at the end.
constexpr int64_t kGoodbyeNanos = 20'000'000;

struct NoClients final : ClientChannel {
  bool canReply(ClientId) const override { return true; }
  void reply(ClientId, protocol::Reply) override {}
};
} // namespace

struct TaskRunner::State {
  State(TaskOptions options, LinkOptions links, RunnerHooks hooks,
        std::shared_ptr<Doorbell> bell, TaskRunner &runner)
      : hooks(std::move(hooks)), heartbeatNanos(links.heartbeatNanos),
        bell(bell), posted(bell), connections(node),
        node(std::move(options), runner,
             this->hooks.clients ? *this->hooks.clients : noClients, links) {}

  // The first two take the node's mutex where nobody else has it, the third
  // gives it back while it sleeps.
  void loop() GRAPHC_NO_THREAD_ANALYSIS;
  bool help() GRAPHC_NO_THREAD_ANALYSIS;
  void sleep(MutexLock &lock) GRAPHC_NO_THREAD_ANALYSIS;
  void heartbeatLoop();
  bool waitForEnd(MutexLock &lock, int64_t nanos) GRAPHC_REQUIRES(mutex);
  bool runPosted() GRAPHC_REQUIRES(nodeMutex);
  bool round() GRAPHC_REQUIRES(nodeMutex);
  void lookForMissing(int64_t now);
  void goodbye() GRAPHC_REQUIRES(nodeMutex);

  RunnerHooks hooks;
  NoClients noClients;
  int64_t heartbeatNanos;
  std::shared_ptr<Doorbell> bell;
  EventQueue<std::function<void(TaskNode &)>> posted;
  /// Held by the thread that runs the node: the runner's thread while it is
  /// awake, or one that helps.
  Mutex nodeMutex;
  /// Being run.
  std::vector<std::function<void(TaskNode &)>>
      events GRAPHC_GUARDED_BY(nodeMutex);
  /// From the node's start to its end.
  bool isRunning GRAPHC_GUARDED_BY(nodeMutex) = false;
  int calmRounds GRAPHC_GUARDED_BY(nodeMutex) = 0;
  /// When the runner's thread wakes by itself.
  int64_t wakeNanos GRAPHC_GUARDED_BY(nodeMutex) = 0;
  std::atomic<int64_t> helpNanos{0}; ///< since when one helps; 0: none
  ConnectionSet
      connections; ///< before the node, whose links use them to the end
  TaskNode node;
  std::thread thread, heartbeats;
  SpareThread spare; ///< after the node, for whom its jobs are
  std::atomic<bool> isStopping{false};
  std::atomic<int64_t> roundNanos{0}; ///< when the last round began; 0: asleep

  mutable Mutex mutex;
  std::condition_variable ending;
  bool isEnding GRAPHC_GUARDED_BY(mutex) = false;
  std::vector<TaskId> missing GRAPHC_GUARDED_BY(mutex);
  int64_t measuredNanos GRAPHC_GUARDED_BY(nodeMutex) = 0;
  int64_t missingNanos = 0; ///< of who runs the node; 0: never looked
};

bool TaskRunner::State::runPosted() {
  posted.take(events);
  for (auto &event : events)
    event(node);
  bool isAny = !events.empty();
  events.clear(); // what they own goes now, not with the next events
  return isAny;
}

/// Everything that can be done now, once. Packets come before timers, so that a
/// peer is not called silent because this thread was in a long kernel.
bool TaskRunner::State::round() {
  int64_t begin = runtime::nowNanos();
  roundNanos.store(begin, std::memory_order_relaxed);
  bool isBusy = runPosted();
  isBusy |= connections.poll();
  int64_t now = runtime::nowNanos();
  if (now >= node.nextTimer()) {
    node.onTimer();
    isBusy = true;
  }
  lookForMissing(now);
  if (now - measuredNanos >= kMeasureNanos) {
    node.measure();
    measuredNanos = now;
  }
  isBusy |= node.advance();
  if (isBusy)
    calmRounds = runtime::nowNanos() - begin < kShortNanos
                     ? std::min(calmRounds + 1, kCalmRounds)
                     : 0;
  return isBusy;
}

void TaskRunner::State::lookForMissing(int64_t now) {
  if (now - missingNanos < kMissingNanos)
    return;
  bool isFirst = missingNanos == 0;
  missingNanos = now;
  std::vector<TaskId> seen = node.missingPeers();
  bool isNews = isFirst;
  {
    MutexLock lock(mutex);
    isNews |= seen != missing;
    missing = seen;
  }
  if (hooks.missing && isNews)
    hooks.missing(seen);
}

void TaskRunner::State::sleep(MutexLock &lock) {
  uint32_t rung = bell->count();
  posted.setSleeping(true);
  connections.setSleeping(true);
  // From here on everything rings, so one look is enough.
  if (posted.isEmpty() && !round() && posted.isEmpty()) {
    roundNanos.store(0, std::memory_order_relaxed);
    int64_t most = runtime::nowNanos() + kMaxSleepNanos;
    wakeNanos = std::min(node.nextTimer(), most);
    int64_t until = wakeNanos;
    lock.unlock();
    bell->wait(rung, until);
    lock.lock();
  }
  posted.setSleeping(false);
  connections.setSleeping(false);
}

void TaskRunner::State::loop() {
  MutexLock lock(nodeMutex);
  node.start();
  isRunning = true;
  WaitLadder ladder(kSpinNanos);
  while (!isStopping.load(std::memory_order_relaxed)) {
    if (lock.ownsLock()) {
      if (round()) {
        ladder.reset();
        continue;
      }
      lock.unlock(); // others may help meanwhile
    }
    if (ladder.pause()) {
      (void)lock.tryLock();
    } else {
      lock.lock();
      sleep(lock);
      ladder.reset();
    }
  }
  if (!lock.ownsLock())
    lock.lock();
  goodbye();
  isRunning = false;
}

/// False: the runner's thread must wake.
bool TaskRunner::State::help() {
  MutexLock lock(nodeMutex, std::try_to_lock);
  if (!lock.ownsLock() || !isRunning || calmRounds < kCalmRounds)
    return false;
  int64_t begin = runtime::nowNanos();
  helpNanos.store(begin, std::memory_order_relaxed);
  bool isBusy = round();
  while (isBusy && runtime::nowNanos() - begin < kShortNanos)
    isBusy = round();
  if (!isBusy) { // as before sleep(): what comes from here on says so
    connections.setSleeping(true);
    isBusy = round();
  }
  roundNanos.store(0, std::memory_order_relaxed);
  helpNanos.store(0, std::memory_order_relaxed);
  return !isBusy && !isStopping.load(std::memory_order_relaxed) &&
         node.nextTimer() >= wakeNanos;
}

/// The last failures and replies leave.
void TaskRunner::State::goodbye() {
  int64_t until = runtime::nowNanos() + kGoodbyeNanos;
  while (runtime::nowNanos() < until && round())
    ;
}

/// False: it has not come within that time.
bool TaskRunner::State::waitForEnd(MutexLock &lock, int64_t nanos) {
  auto until =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanos);
  while (!isEnding)
    if (ending.wait_until(lock.native(), until) == std::cv_status::timeout)
      break;
  return isEnding;
}

/// Looks often enough that peers hear something in each heartbeat's time.
void TaskRunner::State::heartbeatLoop() {
  MutexLock lock(mutex);
  while (!waitForEnd(lock, heartbeatNanos / 4)) {
    int64_t since = roundNanos.load(std::memory_order_relaxed);
    if (!since || runtime::nowNanos() - since < heartbeatNanos / 2)
      continue;
    lock.unlock();
    connections.heartbeat();
    if (hooks.heartbeat)
      hooks.heartbeat();
    lock.lock();
  }
}

TaskRunner::TaskRunner(TaskOptions options, LinkOptions links,
                       RunnerHooks hooks, std::shared_ptr<Doorbell> bell)
    : state(std::make_unique<State>(std::move(options), links, std::move(hooks),
                                    std::move(bell), *this)) {}

StatusOr<std::unique_ptr<TaskRunner>>
TaskRunner::create(TaskOptions options, LinkOptions links, RunnerHooks hooks) {
  GRAPHC_ASSIGN_OR_RETURN(auto bell, Doorbell::create());
  return std::unique_ptr<TaskRunner>(new TaskRunner(
      std::move(options), links, std::move(hooks), std::move(bell)));
}

TaskRunner::~TaskRunner() { shutDown("the task ends"); }

void TaskRunner::start() {
  state->lookForMissing(runtime::nowNanos());
  state->thread = std::thread([this] { state->loop(); });
  state->heartbeats = std::thread([this] { state->heartbeatLoop(); });
}

void TaskRunner::shutDown(const std::string &reason) {
  if (!state->thread.joinable())
    return;
  post([this, reason](TaskNode &node) {
    node.machine().shutDown(reason);
    state->isStopping.store(true);
  });
  state->thread.join();
  {
    MutexLock lock(state->mutex);
    state->isEnding = true;
  }
  state->ending.notify_all();
  state->heartbeats.join();
  state->spare.stop(); // what it does was cancelled
  state->connections.close();
}

void TaskRunner::post(std::function<void(TaskNode &)> event) {
  state->posted.push(std::move(event));
}

void TaskRunner::postQuietly(std::function<void(TaskNode &)> event) {
  state->posted.pushQuietly(std::move(event));
}

void TaskRunner::help() {
  if (!state->help())
    state->posted.wakeUp();
}

int64_t TaskRunner::helpingSince() const {
  return state->helpNanos.load(std::memory_order_relaxed);
}

void TaskRunner::addConnection(TaskId peer,
                               std::unique_ptr<PolledConnection> connection) {
  state->connections.add(peer, std::move(connection));
}

void TaskRunner::postConnection(TaskId peer,
                                std::unique_ptr<PolledConnection> connection) {
  // A std::function must be copyable.
  auto held = std::make_shared<std::unique_ptr<PolledConnection>>(
      std::move(connection));
  post([this, peer, held](TaskNode &) {
    addConnection(peer, std::move(*held));
  });
}

const std::shared_ptr<Doorbell> &TaskRunner::doorbell() const {
  return state->bell;
}

protocol::Reply::WaitList TaskRunner::waits() const {
  return state->node.machine().waits();
}

protocol::Reply::MetricList TaskRunner::metrics() const {
  return state->node.machine().metrics();
}

const MetricRegistry &TaskRunner::registry() const {
  return state->node.metrics();
}

protocol::Reply::Description
TaskRunner::describe(const std::string &plan) const {
  return state->node.machine().describe(plan);
}

std::vector<TaskId> TaskRunner::missingPeers() const {
  MutexLock lock(state->mutex);
  return state->missing;
}

int64_t TaskRunner::nowNanos() const { return runtime::nowNanos(); }

void TaskRunner::dial(TaskId peer) {
  if (state->hooks.dial)
    state->hooks.dial(peer);
}

void TaskRunner::hangUp(TaskId peer, const Status &why) {
  if (!state->connections.remove(peer) && state->hooks.hangUp)
    state->hooks.hangUp(peer, why);
}

void TaskRunner::releaseShared(TaskId peer, uint64_t offset) {
  state->connections.release(peer, offset);
}

void TaskRunner::log(Severity severity, std::string_view text) {
  if (state->hooks.log)
    state->hooks.log(severity, text);
}

void TaskRunner::doAside(std::function<void()> job,
                         std::function<void()> done) {
  state->spare.add([this, job = std::move(job), done = std::move(done)] {
    job();
    post([done](TaskNode &) { done(); });
  });
}

void TaskRunner::stop() {
  if (state->hooks.stop)
    state->hooks.stop();
}

} // namespace graphc::runtime
