// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/RunPeers.h"

#include <algorithm>
#include <utility>

namespace graphc::runtime {

RunPeers::RunPeers(const TaskRunSpec &spec) : self(spec.self) {
  const PlanGraph &graph = *spec.graph;
  if (const auto *edges = graph.graph->edges())
    for (const format::Edge *edge : *edges) {
      TaskId source = graph.tasks[edge->source()];
      TaskId target = graph.tasks[edge->target()];
      if (source == target)
        continue;
      if (source == self)
        add(target, false, true);
      if (target == self)
        add(source, true, false);
    }
  // Who has the order must reach all that follow it.
  if (spec.followsSequence() && self != spec.coordinator)
    add(spec.coordinator, false, false);
  if (self == spec.coordinator)
    for (TaskId task : spec.variableTasks)
      add(task, false, false);
}

void RunPeers::add(TaskId id, bool sendsHere, bool receivesFromHere) {
  if (id == self)
    return;
  RunPeer *peer = find(id);
  if (!peer) {
    peers.push_back({});
    peer = &peers.back();
    peer->id = id;
  }
  peer->sendsHere |= sendsHere;
  peer->receivesFromHere |= receivesFromHere;
}

RunPeer *RunPeers::find(TaskId id) {
  return const_cast<RunPeer *>(std::as_const(*this).find(id));
}

const RunPeer *RunPeers::find(TaskId id) const {
  auto found = std::ranges::find(peers, id, &RunPeer::id);
  return found == peers.end() ? nullptr : &*found;
}

TaskId RunPeers::receiverBehind(uint64_t step) const {
  for (const RunPeer &peer : peers)
    if (peer.receivesFromHere && peer.begun < step)
      return peer.id;
  return kNoTask;
}

} // namespace graphc::runtime
