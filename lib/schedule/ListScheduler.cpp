// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/schedule/ListScheduler.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

bool ListScheduler::isAttached(unsigned number) const {
  const StepNode &node = nodes[number];
  return isa<SendOp>(node.op) && node.before.size() == 1 &&
         isa<exec::LaunchOp, NextOp>(node.before[0]);
}

void ListScheduler::findWays(ArrayRef<unsigned> topological) {
  for (unsigned number : llvm::reverse(topological)) {
    double way = 0;
    bool isSent = isa<SendOp>(nodes[number].op);
    for (unsigned user : users[number]) {
      way = std::max(way, states[user].toEnd + times.between(number, user));
      isSent |= states[user].isSent;
    }
    states[number].toEnd = times.of(number) + way;
    states[number].isSent = isSent;
  }
}

/// Prefers what is sent, then the longer way to the end; of equal ones that of
/// the first graph.
bool ListScheduler::isUrgent(unsigned a, unsigned b) const {
  if (states[a].isSent != states[b].isSent)
    return states[a].isSent;
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
  begins[number] = end - times.of(number);
  states[number].isDone = true;
  for (unsigned user : users[number])
    if (!isAttached(user))
      meet(user, end + times.between(number, user));
}

/// The recvs that a node needs and that are not done yet.
void ListScheduler::takeUp(unsigned number, double time) {
  for (Operation *before : nodes[number].before) {
    unsigned recv = graph.numberOf(before);
    if (!isRecv(recv) || states[recv].isDone)
      continue;
    takeUp(recv, time);
    order.push_back(recv);
    begins[recv] = time;
    states[recv].isDone = true;
  }
}

void ListScheduler::emit(unsigned number, double time) {
  takeUp(number, time);
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
  llvm::DenseMap<Attribute, unsigned> numbers;
  for (unsigned program = 0; program < graph.programs(); ++program) {
    Attribute device = graph.graphOf(program).getDeviceAttr();
    deviceOf.push_back(
        numbers.try_emplace(device, numbers.size()).first->second);
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
  double end = 0;
  for (const Device &device : devices)
    end = std::max(end, device.clock);
  for (unsigned number : topological)
    if (!states[number].isDone) {
      order.push_back(number);
      begins[number] = end;
    }
  return order;
}

} // namespace graphc
