// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traces the waits of a cluster's tasks to their root.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_WAITROOT_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_WAITROOT_H

#include "runtime/protocol/cluster.pb.h"

#include <string>
#include <vector>

namespace graphc::run {

/// Answer of a task about its waits.
struct TaskAnswer {
  enum class Kind {
    Answered,
    Dead,   ///< nobody listens at its address
    Stopped ///< someone does, but does not answer
  };
  std::string task; ///< "/job:ps/task:0"
  Kind kind = Kind::Answered;
  std::string why; ///< of Dead and Stopped
  protocol::Reply::WaitList waits;
};

struct WaitRoot {
  enum class Class {
    None,      ///< nothing waits
    Dead,      ///< a task is gone
    Stopped,   ///< a task does not answer
    Input,     ///< data are slow or missing
    Client,    ///< a client does not fetch its results, or none runs
    Init,      ///< variables have no values yet
    Sequence,  ///< an update waits for that of another worker
    Computing, ///< a task computes, and others wait for it
    Cycle      ///< tasks wait for each other
  };
  Class kind = Class::None;
  std::string task;
  std::string text; ///< a sentence for people
};

/// The end of the chain that most waits lead to; dead and stopped tasks count
/// before all others.
WaitRoot findRoot(const std::vector<TaskAnswer> &answers);

/// "dead", "stopped", "input", ...
const char *className(WaitRoot::Class kind);

/// One line per wait and per task that does not answer.
std::string describeWaits(const std::vector<TaskAnswer> &answers);

} // namespace graphc::run

#endif
