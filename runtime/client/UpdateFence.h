// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Place in the order of updates that a snapshot is of, where there is an order.
#ifndef GRAPHC_RUNTIME_CLIENT_UPDATEFENCE_H
#define GRAPHC_RUNTIME_CLIENT_UPDATEFENCE_H

#include "runtime/client/ClientState.h"

#include <functional>
#include <set>

namespace graphc::runtime {

/// Armed tasks copy their variables where the coordinators put a fence into
/// the order. Reading without that would tear what workers update meanwhile.
/// Thread-safety: one call at a time.
class UpdateFence {
public:
  using Done = std::function<void(const Status &)>;

  explicit UpdateFence(ClientMachine::State &state);

  /// Tasks with variables whose updates have an order; empty: there is none.
  const std::set<TaskId> &tasks() const { return armed; }
  /// After all tasks were armed: asks for the fence; `done` is called once.
  /// Coordinators that miss a link are asked again for as long as a request may
  /// take.
  void put(const protocol::RunId &snapshot, Done done);

  int64_t nextTimer() const { return askAgain; }
  void onTimer(int64_t now);

private:
  void ask();
  void onAnswer(const protocol::Reply &reply);

  ClientMachine::State &state;
  std::set<TaskId> coordinators, armed;
  protocol::RunId id;
  Done whenDone;
  size_t missing = 0;
  Status refused; ///< by a coordinator
  int64_t askAgain = INT64_MAX, giveUp = INT64_MAX;
};

} // namespace graphc::runtime

#endif
