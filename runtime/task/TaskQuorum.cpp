// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers whose gradients do not suffice for an update.
#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskState.h"

namespace graphc::runtime {

/// At the coordinator: ends runs that wait for an update which workers that are
/// done would have to complete, as at the end of their data. Workers that
/// failed, or have not come yet, may still come: for them a run waits.
void TaskMachine::State::endUnfinished(UpdateQueue &queue) {
  for (uint32_t worker = 0; worker < queue.workers; ++worker) {
    TaskRun *run = runs.find(queue.runOf(worker));
    if (!run || run->phase != TaskRun::Phase::Going || run->isEnding ||
        !queue.sequencer()->waitsForQuorum(worker))
      continue;
    std::vector<bool> isDone(queue.workers);
    for (uint32_t other = 0; other < queue.workers; ++other)
      isDone[other] = queue.isDoneSince(other, run->doneBefore);
    if (queue.sequencer()->canComplete(isDone))
      continue;
    failRun(*run, waits.failure(*run, outOfRange(waits.quorumText(*run) +
                                                 "; the others are done")));
  }
}

/// Tells clients why their runs do not go on.
void TaskMachine::State::sayQuorumWaits() {
  for (TaskRun *run : runs.going()) {
    if (run->phase != TaskRun::Phase::Going)
      continue;
    std::string text = waits.quorumText(*run);
    if (text != run->lastWait && !text.empty())
      for (const ReplyBatcher &sink : run->sinks)
        requests.status({sink.client, sink.request}, "waits: " + text);
    run->lastWait = std::move(text);
  }
}

} // namespace graphc::runtime
