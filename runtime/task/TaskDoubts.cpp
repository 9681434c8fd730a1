// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates whose place in the sequence was on a link that was lost: they are
// made at all tasks or at none, as the coordinator has decided.
#include "runtime/protocol/TaskFailure.h"
#include "runtime/task/TaskState.h"

namespace graphc::runtime {

/// The same process of the peer is there again. As coordinator this task
/// repeats the entries that the peer may not have got, as it gave them; as
/// follower it asks what became of the runs that stand at an update. Links keep
/// the order, so the answer comes after the entries.
void TaskMachine::State::meetAgain(TaskId peer) {
  for (auto &[digest, plan] : plans)
    coordinator.repeat(*plan, peer);
  for (auto &[key, run] : runs)
    if (run->isEnding && run->spec().coordinator == peer)
      tellFailed(*run, peer, kAsks);
}

/// The peer's process is another one. What it had decided is lost together with
/// its own variables; what it was told as a follower, too.
void TaskMachine::State::forgetOrderOf(TaskId peer) {
  updates.forgetPeer(peer);
  std::vector<RunKey> keys = runs.keys([&](const TaskRun &run) {
    return run.isEnding && run.spec().coordinator == peer;
  });
  for (RunKey key : keys)
    finishFailure(*runs.find(key));
}

/// The task whose word on an update of the plan's variables is awaited here;
/// kNoTask: none.
TaskId TaskMachine::State::deciderOf(const PlanState &plan) const {
  for (auto &[key, run] : runs)
    if (run->isEnding && run->spec().plan == &plan &&
        run->spec().coordinator != options.self)
      return run->spec().coordinator;
  return kNoTask;
}

/// Part of an update was made, and what the rest needs is lost: the variables
/// here are no state of any step.
void TaskMachine::State::loseUpdate(TaskRun &run) {
  Status cause = toStatus(run.cause);
  std::string why = "step " + std::to_string(run.currentStep() + 1) +
                    " of graph '" + run.spec().graph->name() +
                    "' updated some of them only (" + cause.message() + ")";
  world.host.log(Severity::Error,
                 "the variables have lost their values: " + why);
  dropValues(*run.spec().plan, cause, why);
}

} // namespace graphc::runtime
