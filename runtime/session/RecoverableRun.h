// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a graph from the opening of its session on, and begins anew where a task
// is lost before the first step.
//
//   RecoverableRun all(openCluster, {.file = "line.safetensors",
//                                    .everySteps = 100, .recoveries = 3});
//   all.execute([&](Session &session, CheckpointedRun &run) -> Status {
//     GRAPHC_TRY(run.initialize("train"));
//     return run.runSteps({.graph = "train", .steps = 1000}, onStep).status();
//   });
#ifndef GRAPHC_RUNTIME_SESSION_RECOVERABLERUN_H
#define GRAPHC_RUNTIME_SESSION_RECOVERABLERUN_H

#include "runtime/session/CheckpointedRun.h"

#include <functional>
#include <memory>
#include <optional>

namespace graphc::runtime {

/// Owns a session and its CheckpointedRun. A task that is lost while the
/// session is opened, gets its values or prepares the first step costs that
/// session: another one is opened. Losses from the first step on are the
/// CheckpointedRun's. Thread-safety: one call at a time.
class RecoverableRun {
public:
  /// Opens a session; called once per attempt, when the session before is
  /// closed.
  using Open = std::function<StatusOr<std::unique_ptr<Session>>()>;
  /// Binds data, gives the variables values and runs the steps.
  using Body = std::function<Status(Session &session, CheckpointedRun &run)>;

  /// `options.recoveries` bounds the further attempts, and in each of them the
  /// recoveries of its steps.
  RecoverableRun(Open open, CheckpointOptions options);

  /// Opens a session and calls `body`, again after each loss before the first
  /// step. Returns the last attempt's status. A chief whose first values may be
  /// incomplete makes them anew, unless a checkpoint has them.
  Status execute(const Body &body);

  /// Those of the last attempt; null where its session could not be opened.
  Session *session() { return opened.get(); }
  CheckpointedRun *run() { return steps ? &*steps : nullptr; }

private:
  Status attempt(const Body &body);
  bool mayOpenAgain(const Status &failure);

  Open open;
  CheckpointOptions options;
  std::unique_ptr<Session> opened;
  std::optional<CheckpointedRun> steps;
  bool wasPlanGone = false; ///< of a task that was started again
};

} // namespace graphc::runtime

#endif
