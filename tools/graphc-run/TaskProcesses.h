// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Servers of a cluster's tasks as processes of this machine, which live as long
// as the run.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TASKPROCESSES_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TASKPROCESSES_H

#include "runtime/cluster/ClusterSpec.h"

#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace graphc::run {

struct ProcessOptions {
  /// "ps:1,worker:2", which listen on unix sockets in a folder of their own, or
  /// a cluster's file or text, whose tasks listen where it says.
  std::string tasks;
  int threads = 0; ///< of each; 0: the cores divided among them
  std::string route, tlsDir;
  bool virtualGpus = false, shareGpus = false;
};

/// The processes end with this object and with this process, however that
/// ends. What they write goes to a file each, whose end is shown when one dies
/// by itself. Thread-safety: one call at a time.
class TaskProcesses {
public:
  /// Starts them. NOT_FOUND where there is no graphc-server beside this program
  /// or on the PATH.
  static runtime::StatusOr<std::unique_ptr<TaskProcesses>>
  start(const ProcessOptions &options);
  ~TaskProcesses();

  const runtime::ClusterSpec &cluster() const { return spec; }

  /// Starts those again that have died, and says which; the last lines that
  /// they wrote.
  runtime::StatusOr<std::string> restartDead();

  /// Whether a process has died, and the last lines that it wrote; empty: none.
  std::string deaths();

private:
  TaskProcesses() = default;
  runtime::Status makeFolder(const ProcessOptions &options);
  runtime::Status launch(size_t task);
  std::string lastLines(size_t task) const;

  runtime::ClusterSpec spec;
  std::string folder, server;
  std::vector<std::string> flags; ///< of all servers
  std::vector<pid_t> processes;   ///< by task; 0: none
  std::vector<std::string> ends;  ///< how a process of that task died
};

} // namespace graphc::run

#endif
