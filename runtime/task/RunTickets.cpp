// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/RunTickets.h"

#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// More workers than any cluster has: a plan with more is refused.
constexpr uint32_t kMostWorkers = 1 << 16;
} // namespace

RunTickets::RunTickets(const format::Instance &instance, bool isCoordinator)
    : of(viewOf(instance.of())), apply(viewOf(instance.apply())),
      workers(std::min(instance.workers(), kMostWorkers)) {
  runs.resize(workers);
  doneAt.resize(workers);
  if (instance.coordination() == format::Coordination::Quorum)
    quorum = std::max(1u, instance.quorum());
  if (!isCoordinator)
    return;
  UpdateOrderOptions options;
  options.workers = workers;
  options.quorum = quorum;
  if (quorum == 0 && instance.staleness() != UINT32_MAX)
    options.staleness = instance.staleness();
  made = std::make_unique<UpdateOrder>(options);
}

RunKey RunTickets::runOf(uint32_t worker) const {
  return worker < runs.size() ? runs[worker] : RunKey();
}

void RunTickets::setRun(uint32_t worker, RunKey run) {
  if (worker >= runs.size())
    return;
  runs[worker] = run;
  doneAt[worker] = 0;
}

void RunTickets::forget(uint32_t worker, RunKey run, bool isDone) {
  if (runOf(worker) != run)
    return;
  runs[worker] = RunKey();
  if (isDone)
    doneAt[worker] = ++ends;
  if (made)
    made->forget(worker);
}

void RunTickets::noteSent(TaskId to, const FrameHeader &ticket) {
  sent.push_back({to, ticket});
}

void RunTickets::noteArrived(TaskId from, RunKey run, uint64_t step) {
  auto isIt = [&](const Sent &entry) {
    return entry.to == from && entry.ticket.runClient == run.client &&
           entry.ticket.runNumber == run.number && entry.ticket.step == step &&
           entry.ticket.edge == static_cast<uint32_t>(TicketKind::Read);
  };
  auto last = std::find_if(sent.rbegin(), sent.rend(), isIt);
  auto kept = std::remove_if(sent.begin(), last.base(), [&](const Sent &entry) {
    return entry.to == from;
  });
  sent.erase(kept, last.base());
}

std::vector<FrameHeader> RunTickets::unconfirmed(TaskId task) const {
  std::vector<FrameHeader> tickets;
  for (const Sent &entry : sent)
    if (entry.to == task)
      tickets.push_back(entry.ticket);
  return tickets;
}

void RunTickets::forgetSent(TaskId task) {
  std::erase_if(sent, [&](const Sent &entry) { return entry.to == task; });
}

} // namespace graphc::runtime
