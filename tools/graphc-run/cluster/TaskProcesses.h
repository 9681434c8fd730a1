// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Servers of a cluster's tasks as processes of this machine, which live as long
// as the run.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_TASKPROCESSES_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_TASKPROCESSES_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/cluster/ClusterSpec.h"

#include <condition_variable>
#include <memory>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace graphc::run {

struct ProcessOptions {
  /// "ps:1,worker:2", which listen on unix sockets in a folder of their own, or
  /// a cluster's file or text, whose tasks listen at its addresses.
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

  /// Describes the processes that died, with the last lines that they wrote;
  /// empty: none did in the 0.3 s that it waits for the first.
  std::string deaths();

private:
  TaskProcesses() = default;
  runtime::Status makeFolder(const ProcessOptions &options);
  void supervise();
  runtime::Status launchAll() GRAPHC_REQUIRES(mutex);
  runtime::Status launch(size_t task) GRAPHC_REQUIRES(mutex);
  bool isStopped(size_t task) const GRAPHC_REQUIRES(mutex);
  void reap() GRAPHC_REQUIRES(mutex);
  std::string describeEnds();
  std::string lastLines(size_t task) const;

  runtime::ClusterSpec spec;
  std::string folder, server;
  int lock = -1; ///< of the folder, held as long as this process lives
  bool keepsAlive = false;
  std::vector<std::string> flags; ///< of all servers
  mutable runtime::Mutex mutex;
  std::condition_variable changed;
  /// By task; 0: none.
  std::vector<pid_t> processes GRAPHC_GUARDED_BY(mutex);
  /// Descriptions of deaths of processes, by task.
  std::vector<std::string> ends GRAPHC_GUARDED_BY(mutex);
  bool isStarted GRAPHC_GUARDED_BY(mutex) = false;
  bool isEnding GRAPHC_GUARDED_BY(mutex) = false;
  bool isOver GRAPHC_GUARDED_BY(mutex) = false;
  /// Of the first start, or of the last restart.
  runtime::Status launched GRAPHC_GUARDED_BY(mutex);
  std::thread thread;
};

} // namespace graphc::run

#endif
