// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// List scheduling of the programs of a graph.
#include "lib/schedule/OrderStep.h"

#include "dialects/tfir/Names.h"
#include "lib/lowering/KernelCost.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <queue>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

// What the simulated devices do in a microsecond. Only ratios matter, and they
// are much the same for cores and for GPUs, whose programs may run on cores.
constexpr double kFlops = 5e4;
constexpr double kBytes = 1e4;
constexpr double kLaunch = 1;
constexpr double kSend = 0.5;
constexpr double kTransfer = 2;

/// Smaller values share a frame with others.
constexpr int64_t kSmallValue = 64 * 1024;
/// A frame does not grow beyond this.
constexpr int64_t kLargestFrame = 1024 * 1024;

int64_t bytesOf(Value value) {
  return exec::tensorBytes(cast<RankedTensorType>(value.getType()));
}

using Users = std::vector<SmallVector<unsigned>>;

Users findUsers(const StepGraph &graph) {
  Users users(graph.nodes().size());
  for (auto [number, node] : llvm::enumerate(graph.nodes()))
    for (Operation *before : node.before)
      users[graph.numberOf(before)].push_back(number);
  return users;
}

/// All nodes, those with a low number first where dependencies allow; fewer
/// when they run in a circle.
std::vector<unsigned> sortByNumber(const StepGraph &graph, const Users &users) {
  std::vector<size_t> waiting;
  for (const StepNode &node : graph.nodes())
    waiting.push_back(node.before.size());
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (auto [number, count] : llvm::enumerate(waiting))
    if (!count)
      ready.push(number);
  std::vector<unsigned> order;
  while (!ready.empty()) {
    unsigned number = ready.top();
    ready.pop();
    order.push_back(number);
    for (unsigned user : users[number])
      if (--waiting[user] == 0)
        ready.push(user);
  }
  return order;
}

/// How long nodes take, in simulated microseconds.
class Times {
public:
  explicit Times(StepGraph &graph) : graph(graph) {
    for (const StepNode &node : graph.nodes())
      costs.push_back(costOf(node.op));
  }

  double of(unsigned node) const { return costs[node]; }
  /// From the end of one node to the time when another, which waits for it, can
  /// go on.
  double between(unsigned from, unsigned to) const;

private:
  double costOf(Operation *op);

  StepGraph &graph;
  std::vector<double> costs;
  llvm::StringMap<double> kernels;
};

double Times::between(unsigned from, unsigned to) const {
  auto send = dyn_cast<SendOp>(graph.nodes()[from].op);
  auto recv = dyn_cast<RecvOp>(graph.nodes()[to].op);
  if (!send || !recv || send.getEdge() != recv.getEdge())
    return 0;
  return kTransfer + static_cast<double>(bytesOf(send.getValue())) / kBytes;
}

double Times::costOf(Operation *op) {
  if (isa<RecvOp>(op))
    return 0;
  if (isa<SendOp>(op))
    return kSend;
  if (auto next = dyn_cast<NextOp>(op)) {
    double cost = kLaunch;
    for (Value value : next.getResults())
      cost += static_cast<double>(bytesOf(value)) / kBytes;
    return cost;
  }
  if (isa<DebugSleepOp, DebugFailOp>(op))
    return kLaunch;
  auto launch = cast<exec::LaunchOp>(op);
  auto [it, isNew] = kernels.try_emplace(launch.getKernel());
  if (isNew) {
    KernelCost cost = estimateCost(graph.kernelOf(launch));
    it->second = kLaunch + std::max(cost.flops / kFlops, cost.bytes / kBytes);
  }
  return it->second;
}

/// All programs meet collectives in one order: in each of them, the first
/// transfers of two collectives come in the same order, and so do the last.
class CollectiveOrder {
public:
  /// Which of two collectives comes first.
  enum class By {
    Begin, ///< the one that some program meets first
    End,   ///< the one that all programs have met first
    Number ///< the one that was made first
  };

  CollectiveOrder(StepGraph &graph, const Times &times,
                  ArrayRef<unsigned> topological)
      : graph(graph), times(times), topological(topological) {
    findMoments();
  }

  void enforce(By by);
  /// Takes back what enforce added.
  void undo();

private:
  /// When a node can be done at the earliest; of two at one time, which is
  /// first.
  using Moment = std::pair<double, size_t>;

  void findMoments();
  void chain(By by, bool first);
  void add(unsigned node, unsigned before) {
    if (graph.addBefore(node, before))
      added.push_back({node, before});
  }

  StepGraph &graph;
  const Times &times;
  ArrayRef<unsigned> topological;
  std::vector<Moment> moments;
  /// The transfers of a program and a collective.
  std::map<std::pair<unsigned, int64_t>, SmallVector<unsigned>> members;
  SmallVector<std::pair<unsigned, unsigned>> added;
};

void CollectiveOrder::findMoments() {
  moments.resize(graph.nodes().size());
  for (auto [place, number] : llvm::enumerate(topological)) {
    const StepNode &node = graph.nodes()[number];
    double start = 0;
    for (Operation *op : node.before) {
      unsigned before = graph.numberOf(op);
      start = std::max(start, moments[before].first + times.of(before) +
                                  times.between(before, number));
    }
    moments[number] = {start, place};
    auto collective = node.op->getAttrOfType<IntegerAttr>(kCollectiveAttr);
    if (collective && isa<SendOp, RecvOp>(node.op))
      members[{node.program, collective.getInt()}].push_back(number);
  }
}

void CollectiveOrder::chain(By by, bool first) {
  std::map<int64_t, Moment> starts; // by collective
  std::map<unsigned, std::vector<std::pair<int64_t, unsigned>>> meetings;
  for (auto &[key, nodes] : members) {
    auto isBefore = [&](unsigned a, unsigned b) {
      return moments[a] < moments[b];
    };
    unsigned chosen =
        first ? *std::min_element(nodes.begin(), nodes.end(), isBefore)
              : *std::max_element(nodes.begin(), nodes.end(), isBefore);
    for (unsigned node : nodes)
      if (node != chosen)
        add(first ? node : chosen, first ? chosen : node);
    Moment moment = by == By::Number ? Moment() : moments[chosen];
    auto [it, isNew] = starts.try_emplace(key.second, moment);
    if (!isNew)
      it->second = by == By::Begin ? std::min(it->second, moment)
                                   : std::max(it->second, moment);
    meetings[key.first].push_back({key.second, chosen});
  }
  for (auto &[program, met] : meetings) {
    llvm::sort(met, [&](const auto &a, const auto &b) {
      return std::pair(starts[a.first], a.first) <
             std::pair(starts[b.first], b.first);
    });
    for (size_t i = 1; i < met.size(); ++i)
      add(met[i].second, met[i - 1].second);
  }
}

void CollectiveOrder::enforce(By by) {
  chain(by, /*first=*/true);
  chain(by, /*first=*/false);
}

void CollectiveOrder::undo() {
  for (auto [node, before] : added)
    graph.removeBefore(node, before);
  added.clear();
}

/// The simulation.
class ListScheduler {
public:
  ListScheduler(const StepGraph &graph, const Times &times, const Users &users)
      : graph(graph), times(times), nodes(graph.nodes()), users(users),
        states(nodes.size()) {}

  /// `topological` is any order of all nodes.
  std::vector<unsigned> run(ArrayRef<unsigned> topological);

private:
  struct State {
    size_t waiting = 0;
    double ready = 0; ///< when all that it waits for is there
    double toEnd = 0; ///< the longest way to the end of the step
    bool isDone = false;
  };
  struct Device {
    double clock = 0;
    /// Nodes by the time at which they are ready, and those that are so now.
    std::vector<unsigned> later, now;
  };

  bool isRecv(unsigned number) const { return isa<RecvOp>(nodes[number].op); }
  /// True for a send that goes right behind the node that makes its value.
  bool isAttached(unsigned number) const;
  void findWays(ArrayRef<unsigned> topological);
  void meet(unsigned number, double time);
  void takeUp(unsigned number);
  void emit(unsigned number, double time);
  void perform(unsigned number, double end);
  bool isUrgent(unsigned a, unsigned b) const;

  const StepGraph &graph;
  const Times &times;
  ArrayRef<StepNode> nodes;
  const Users &users;
  std::vector<State> states;
  std::vector<Device> devices;
  std::vector<unsigned> deviceOf; ///< by program
  std::vector<unsigned> order;
};

bool ListScheduler::isAttached(unsigned number) const {
  const StepNode &node = nodes[number];
  return isa<SendOp>(node.op) && node.before.size() == 1 &&
         isa<exec::LaunchOp, NextOp>(node.before[0]);
}

void ListScheduler::findWays(ArrayRef<unsigned> topological) {
  for (unsigned number : llvm::reverse(topological)) {
    double way = 0;
    for (unsigned user : users[number])
      way = std::max(way, states[user].toEnd + times.between(number, user));
    states[number].toEnd = times.of(number) + way;
  }
}

/// The longer way to the end goes first; of equal ones that of the first graph.
bool ListScheduler::isUrgent(unsigned a, unsigned b) const {
  if (states[a].toEnd != states[b].toEnd)
    return states[a].toEnd > states[b].toEnd;
  return a < b;
}

/// Something that a node waits for is there at `time`.
void ListScheduler::meet(unsigned number, double time) {
  State &state = states[number];
  state.ready = std::max(state.ready, time);
  if (--state.waiting)
    return;
  // What arrives is taken up by the first that needs it.
  if (isRecv(number)) {
    for (unsigned user : users[number])
      meet(user, state.ready);
    return;
  }
  std::vector<unsigned> &later = devices[deviceOf[nodes[number].program]].later;
  later.push_back(number);
  std::push_heap(later.begin(), later.end(), [&](unsigned a, unsigned b) {
    return std::pair(states[a].ready, a) > std::pair(states[b].ready, b);
  });
}

/// A node is done at `end`.
void ListScheduler::perform(unsigned number, double end) {
  order.push_back(number);
  states[number].isDone = true;
  for (unsigned user : users[number])
    if (!isAttached(user))
      meet(user, end + times.between(number, user));
}

/// The recvs that a node needs and that are not done yet.
void ListScheduler::takeUp(unsigned number) {
  for (Operation *before : nodes[number].before) {
    unsigned recv = graph.numberOf(before);
    if (!isRecv(recv) || states[recv].isDone)
      continue;
    takeUp(recv);
    order.push_back(recv);
    states[recv].isDone = true;
  }
}

void ListScheduler::emit(unsigned number, double time) {
  takeUp(number);
  double &clock = devices[deviceOf[nodes[number].program]].clock;
  clock = time + times.of(number);
  SmallVector<unsigned> sends;
  for (unsigned user : users[number])
    if (isAttached(user))
      sends.push_back(user);
  llvm::sort(sends, [&](unsigned a, unsigned b) { return isUrgent(a, b); });
  perform(number, clock);
  for (unsigned send : sends) {
    clock += times.of(send);
    perform(send, clock);
  }
}

std::vector<unsigned> ListScheduler::run(ArrayRef<unsigned> topological) {
  llvm::StringMap<unsigned> numbers;
  for (unsigned program = 0; program < graph.programs(); ++program) {
    auto name = graph.graphOf(program)->getAttrOfType<StringAttr>(kDeviceAttr);
    deviceOf.push_back(
        numbers.try_emplace(name ? name.getValue() : "", numbers.size())
            .first->second);
  }
  devices.resize(numbers.size());
  findWays(topological);
  for (auto [number, node] : llvm::enumerate(nodes)) {
    states[number].waiting = node.before.size() + 1;
    order.reserve(nodes.size());
  }
  for (unsigned number = 0; number < nodes.size(); ++number)
    if (!isAttached(number))
      meet(number, 0);

  auto isLater = [&](unsigned a, unsigned b) {
    return std::pair(states[a].ready, a) > std::pair(states[b].ready, b);
  };
  auto isLess = [&](unsigned a, unsigned b) { return isUrgent(b, a); };
  while (true) {
    // The device that can go on first.
    Device *next = nullptr;
    double start = 0;
    for (Device &device : devices) {
      if (device.now.empty() && device.later.empty())
        continue;
      double time = device.clock;
      if (device.now.empty())
        time = std::max(time, states[device.later.front()].ready);
      if (!next || time < start) {
        next = &device;
        start = time;
      }
    }
    if (!next)
      break;
    while (!next->later.empty() && states[next->later.front()].ready <= start) {
      std::pop_heap(next->later.begin(), next->later.end(), isLater);
      next->now.push_back(next->later.back());
      next->later.pop_back();
      std::push_heap(next->now.begin(), next->now.end(), isLess);
    }
    std::pop_heap(next->now.begin(), next->now.end(), isLess);
    unsigned number = next->now.back();
    next->now.pop_back();
    emit(number, start);
  }
  // What only a fetch or an assignment reads.
  for (unsigned number : topological)
    if (!states[number].isDone)
      order.push_back(number);
  return order;
}

/// Joins small transfers that stand side by side.
class Frames {
public:
  Frames(const StepGraph &graph, ArrayRef<unsigned> order)
      : graph(graph), order(order) {}

  std::vector<StepItem> join();

private:
  void joinSends();
  void joinRun(ArrayRef<unsigned> run);

  const StepGraph &graph;
  ArrayRef<unsigned> order;
  /// The frame of a send that goes with others.
  DenseMap<unsigned, unsigned> frameOf;
  std::vector<SmallVector<unsigned>> frames;
};

/// Sends between which the program does nothing else. Those that move up to the
/// first of their frame have their values there already. The parts of
/// collectives keep their places, as all programs meet them in one order.
void Frames::joinRun(ArrayRef<unsigned> run) {
  struct Open {
    unsigned frame;
    int64_t bytes;
  };
  std::map<int64_t, Open> open; // by destination
  for (unsigned number : run) {
    auto send = cast<SendOp>(graph.nodes()[number].op);
    int64_t bytes = bytesOf(send.getValue());
    if (bytes >= kSmallValue || send->hasAttr(kCollectiveAttr))
      continue;
    auto [it, isNew] = open.try_emplace(send.getTo());
    if (isNew || it->second.bytes + bytes > kLargestFrame) {
      it->second = {static_cast<unsigned>(frames.size()), 0};
      frames.emplace_back();
    }
    it->second.bytes += bytes;
    frames[it->second.frame].push_back(number);
    frameOf[number] = it->second.frame;
  }
}

void Frames::joinSends() {
  std::vector<SmallVector<unsigned>> runs(graph.programs());
  for (unsigned number : order) {
    const StepNode &node = graph.nodes()[number];
    SmallVector<unsigned> &run = runs[node.program];
    if (isa<SendOp>(node.op)) {
      run.push_back(number);
      continue;
    }
    joinRun(run);
    run.clear();
  }
  for (ArrayRef<unsigned> run : runs)
    joinRun(run);
}

std::vector<StepItem> Frames::join() {
  joinSends();
  // Each frame is received where the first of its values is needed.
  std::map<int64_t, unsigned> frameOfEdge;
  std::map<int64_t, Operation *> recvs;
  for (auto [frame, sends] : llvm::enumerate(frames))
    for (unsigned send : sends)
      frameOfEdge[cast<SendOp>(graph.nodes()[send].op).getEdge()] = frame;
  for (const StepNode &node : graph.nodes())
    if (auto recv = dyn_cast<RecvOp>(node.op))
      recvs[recv.getEdge()] = recv;
  std::vector<StepItem> items;
  std::vector<bool> isSent(frames.size()), isReceived(frames.size());
  for (unsigned number : order) {
    const StepNode &node = graph.nodes()[number];
    StepItem item{node.program, {node.op}};
    std::optional<unsigned> frame;
    if (auto recv = dyn_cast<RecvOp>(node.op)) {
      if (auto it = frameOfEdge.find(recv.getEdge()); it != frameOfEdge.end())
        frame = it->second;
    } else if (auto it = frameOf.find(number); it != frameOf.end()) {
      frame = it->second;
    }
    if (frame) {
      std::vector<bool> &isDone = isa<RecvOp>(node.op) ? isReceived : isSent;
      if (isDone[*frame])
        continue;
      isDone[*frame] = true;
      item.ops.clear();
      for (unsigned send : frames[*frame]) {
        auto op = cast<SendOp>(graph.nodes()[send].op);
        item.ops.push_back(isa<RecvOp>(node.op) ? recvs[op.getEdge()]
                                                : op.getOperation());
      }
    }
    items.push_back(std::move(item));
  }
  return items;
}

} // namespace

FailureOr<std::vector<StepItem>> orderStep(StepGraph &graph) {
  Users users = findUsers(graph);
  std::vector<unsigned> order = sortByNumber(graph, users);
  if (order.size() != graph.nodes().size()) {
    llvm::DenseSet<unsigned> sorted(order.begin(), order.end());
    for (auto [number, node] : llvm::enumerate(graph.nodes()))
      if (!sorted.contains(number) && isa<RecvOp>(node.op))
        return node.op->emitOpError()
               << "can never be done: what it waits for needs its own value, "
                  "over other programs; the partition is not one that "
                  "tfir-partition makes";
    return graph.graphOf(0).emitOpError("has ops that wait for each other");
  }
  if (graph.programs() > 1) {
    Times times(graph);
    CollectiveOrder collectives(graph, times, order);
    // One of the orders agrees with what the values need. If none does, the
    // check of the plan says where.
    using By = CollectiveOrder::By;
    for (By by : {By::Begin, By::End, By::Number}) {
      collectives.enforce(by);
      users = findUsers(graph);
      std::vector<unsigned> ordered = sortByNumber(graph, users);
      if (ordered.size() == order.size()) {
        order = ordered;
        break;
      }
      collectives.undo();
      users = findUsers(graph);
    }
    order = ListScheduler(graph, times, users).run(order);
  }
  return Frames(graph, order).join();
}

} // namespace graphc
