// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of a task's variables between two updates: the same two at all tasks,
// since the order of updates says when.
#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

Status
TaskMachine::State::snapshot(const RequestKey &key,
                             const protocol::Request::Snapshot &request) {
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, plans.use(request.plan()));
  RunKey id = keyOf(request.id());
  GRAPHC_TRY(snapshots.checkOwner(id, key.client));
  switch (request.phase()) {
  case protocol::Request::Snapshot::ARM:
    GRAPHC_TRY(snapshots.arm(id, key.client, *plan));
    break;
  case protocol::Request::Snapshot::TAKE:
    GRAPHC_TRY(giveFences(*plan, id));
    break;
  case protocol::Request::Snapshot::DROP:
    snapshots.drop(id);
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
        return unavailable("there is no link to " + waits.nameOf(task));
    FrameHeader header;
    header.kind = FrameKind::Sequenced;
    header.runClient = id.client;
    header.runNumber = id.number;
    header.graph = graph.number;
    header.edge = static_cast<uint32_t>(SequenceOp::Fence);
    header.total = plan.shortDigest();
    for (TaskId task : followers)
      if (task != options.self)
        world.peers.sendFrame(task, header, {});
    if (UpdateQueue *queue =
            plan.findQueue(std::string(viewOf(instance->of()))))
      queue->entries.push_back({SequenceOp::Fence, id, 0, false});
    else
      snapshots.take(plan, id);
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
      UpdateQueue *queue = plan->findQueue(std::string(viewOf(instance->of())));
      if (queue)
        queue->entries.push_back({SequenceOp::Fence, id, 0, false});
      else
        snapshots.take(*plan, id); // no update waits here
    }
  }
}

} // namespace graphc::runtime
