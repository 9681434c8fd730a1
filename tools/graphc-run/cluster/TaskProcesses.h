// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Servers of a cluster's tasks as processes of this machine, which live as long
// as the run.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_TASKPROCESSES_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_TASKPROCESSES_H

#include "runtime/cluster/ClusterSpec.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace graphc::run {

struct ProcessOptions {
  /// "ps:1,worker:2", which listen on unix sockets in a folder of their own, or
  /// a cluster's file or text, whose tasks listen where it says.
  std::string tasks;
  int threads = 0; ///< of each; 0: the cores divided among them
  std::string route, tlsDir;
  bool keepsAlive = false; ///< starts those again that die
  bool virtualGpus = false, shareGpus = false;
};

/// The processes end with this object and with this process, however that
/// ends: a thread of this object starts them, since they die with the thread
/// that did. What they write goes to a file each, whose end is shown when one
/// dies by itself. The folder of a process that was killed is removed by the
/// next one. Thread-safety: any thread.
class TaskProcesses {
public:
  /// Starts them. NOT_FOUND where there is no graphc-server beside this program
  /// or on the PATH.
  static runtime::StatusOr<std::unique_ptr<TaskProcesses>>
  start(const ProcessOptions &options);
  ~TaskProcesses();

  const runtime::ClusterSpec &cluster() const { return spec; }

  /// Kills those that were stopped (SIGSTOP), since they may never answer;
  /// their number. With `keepsAlive` they are started again as those that died.
  size_t killStopped();

  /// Whether a process has died, and the last lines that it wrote; empty: none.
  std::string deaths();

private:
  TaskProcesses() = default;
  runtime::Status makeFolder(const ProcessOptions &options);
  void supervise();
  runtime::Status launchAll();
  runtime::Status launch(size_t task);
  bool isStopped(size_t task) const;
  void reap();
  std::string lastLines(size_t task) const;

  runtime::ClusterSpec spec;
  std::string folder, server;
  int lock = -1; ///< of the folder, held as long as this process lives
  bool keepsAlive = false;
  std::vector<std::string> flags; ///< of all servers
  std::vector<pid_t> processes;   ///< by task; 0: none
  std::vector<std::string> ends;  ///< how a process of that task died
  std::mutex mutex; ///< guards the processes, ends and all that follows
  std::condition_variable changed;
  bool isStarted = false, isEnding = false, isOver = false;
  runtime::Status launched; ///< of the first start, or of the last restart
  std::thread thread;
};

} // namespace graphc::run

#endif
