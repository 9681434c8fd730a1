// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of a task's variables between two updates: the same two at all tasks,
// since the order of updates says when.
#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// Each has a copy of the variables.
constexpr size_t kMaxSnapshots = 8;

RunKey keyOf(const protocol::RunId &id) { return {id.client(), id.number()}; }
} // namespace

Status
TaskMachine::State::snapshot(const RequestKey &key,
                             const protocol::Request::Snapshot &request) {
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, plans.use(request.plan()));
  RunKey id = keyOf(request.id());
  auto found = snapshots.find(id);
  if (found != snapshots.end() && found->second.owner != key.client)
    return permissionDenied("the snapshot is another client's");
  switch (request.phase()) {
  case protocol::Request::Snapshot::ARM:
    if (found == snapshots.end() && snapshots.size() >= kMaxSnapshots)
      return resourceExhausted("this task has " +
                               std::to_string(snapshots.size()) +
                               " snapshots; wait until other clients have "
                               "saved their variables");
    snapshots[id] = {key.client, plan, false, {}};
    break;
  case protocol::Request::Snapshot::TAKE:
    GRAPHC_TRY(giveFences(*plan, id));
    break;
  case protocol::Request::Snapshot::DROP:
    snapshots.erase(id);
    break;
  default:
    return invalidArgument("a snapshot has no such phase");
  }
  requests.done(key);
  return Status::ok();
}

/// At the coordinator: puts a fence into the order of the plan's updates, also
/// where no worker has asked for one yet: its first update comes after the
/// fence. UNAVAILABLE where not all who follow the order are there.
Status TaskMachine::State::giveFences(PlanState &plan, RunKey id) {
  for (uint32_t i = 0; i < plan.size(); ++i) {
    PlanGraph &graph = plan.graph(i);
    const format::Instance *instance = graph.graph->instance();
    if (!instance || instance->coordination() == format::Coordination::None)
      continue;
    std::vector<TaskId> followers = plan.variableTasks(graph);
    for (TaskId task : followers)
      if (task != options.self && !world.peers.isPeerUp(task))
        return unavailable("there is no link to " + nameOf(task));
    FrameHeader header;
    header.kind = FrameKind::Ticket;
    header.runClient = id.client;
    header.runNumber = id.number;
    header.graph = graph.number;
    header.edge = static_cast<uint32_t>(TicketKind::Fence);
    header.total = plan.shortDigest();
    for (TaskId task : followers)
      if (task != options.self)
        world.peers.sendFrame(task, header, {});
    if (RunTickets *tickets =
            plan.findTickets(std::string(viewOf(instance->of()))))
      tickets->queue.push_back({TicketKind::Fence, id, 0, false});
    else
      takeSnapshot(plan, id);
    return Status::ok(); // one order for all workers' instances
  }
  return invalidArgument("the plan's updates have no order");
}

/// At a follower.
void TaskMachine::State::onFence(TaskId from, const FrameHeader &header) {
  for (auto &[digest, plan] : plans) {
    if (plan->shortDigest() != header.total || header.graph >= plan->size())
      continue;
    for (uint32_t i = 0; i < plan->size(); ++i) {
      const PlanGraph &graph = plan->graph(i);
      const format::Instance *instance = graph.graph->instance();
      if (graph.number != header.graph || !instance)
        continue;
      StatusOr<TaskId> coordinator = options.cluster.findDevice(
          std::string(viewOf(instance->coordinator())) + "/device:CPU:0");
      if (!coordinator.isOk() || *coordinator != from)
        return;
      RunKey id{header.runClient, header.runNumber};
      RunTickets *tickets =
          plan->findTickets(std::string(viewOf(instance->of())));
      if (tickets)
        tickets->queue.push_back({TicketKind::Fence, id, 0, false});
      else
        takeSnapshot(*plan, id); // no update waits here
    }
  }
}

void TaskMachine::State::takeSnapshot(PlanState &plan, RunKey id) {
  auto found = snapshots.find(id);
  if (found == snapshots.end() || found->second.plan != &plan ||
      found->second.isTaken)
    return;
  Snapshot &snapshot = found->second;
  snapshot.isTaken = true;
  for (const std::string &name : plan.variableNames()) {
    std::vector<std::byte> copy;
    StatusOr<std::span<const std::byte>> bytes = plan.readVariable(name, copy);
    if (bytes.isOk()) // else: reading it fails
      snapshot.values[name].assign(bytes->begin(), bytes->end());
  }
  for (const SnapshotRead &each :
       snapshotReads.take([&](const SnapshotRead &waiting) {
         return keyOf(waiting.request.snapshot()) == id;
       })) {
    Status status = read(each.key, each.request, each.deadline);
    if (!status.isOk())
      requests.fail(each.key, status);
  }
}

/// A variable's value of then; it waits until that is there.
Status TaskMachine::State::readSnapshot(const RequestKey &key,
                                        const protocol::Request::Read &request,
                                        int64_t deadline) {
  auto found = snapshots.find(keyOf(request.snapshot()));
  if (found == snapshots.end() || found->second.owner != key.client)
    return notFound("this task has no such snapshot; take another");
  Snapshot &snapshot = found->second;
  if (!snapshot.isTaken) {
    requests.open(key);
    snapshotReads.add({key, request, deadline});
    return Status::ok();
  }
  auto value = snapshot.values.find(request.variable());
  if (value == snapshot.values.end())
    return notFound("the snapshot has no value of " +
                    quote(request.variable()) + "; each is read once");
  Reading reading;
  GRAPHC_ASSIGN_OR_RETURN(reading.type,
                          snapshot.plan->variableType(request.variable()));
  reading.copy = std::move(value->second);
  snapshot.values.erase(value);
  reading.bytes = reading.copy;
  reading.name = request.variable();
  reading.plan = request.plan();
  requests.open(key);
  reads.insert_or_assign(key, std::move(reading));
  return Status::ok();
}

void TaskMachine::State::dropSnapshots(ClientId client) {
  std::erase_if(snapshots, [&](const auto &entry) {
    return entry.second.owner == client;
  });
  snapshotReads.dropClient(client);
}

void TaskMachine::State::expireSnapshotReads(int64_t now) {
  for (const SnapshotRead &each : snapshotReads.takeExpired(now))
    requests.fail(each.key, Status(StatusCode::DeadlineExceeded,
                                   "the updates before the snapshot have not "
                                   "been made in time"));
}

} // namespace graphc::runtime
