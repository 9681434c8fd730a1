// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two processes of a measurement.
#ifndef GRAPHC_BENCH_EDGE_PROCESSES_H
#define GRAPHC_BENCH_EDGE_PROCESSES_H

#include "bench/edge/Task.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace graphc::bench {

/// Keeps a process on the first or the last core that it may use, so that the
/// two do not share one.
inline void pin(bool isFirst) {
  cpu_set_t all, one;
  if (::sched_getaffinity(0, sizeof all, &all) != 0)
    fail(std::string("sched_getaffinity: ") + std::strerror(errno));
  int chosen = -1;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &all) && (chosen < 0 || !isFirst))
      chosen = core;
  CPU_ZERO(&one);
  CPU_SET(chosen, &one);
  if (::sched_setaffinity(0, sizeof one, &one) != 0)
    fail(std::string("sched_setaffinity: ") + std::strerror(errno));
}

enum class Cores { OneEach, Any };

/// Runs `receive` in a process of its own beside `send`.
template <typename Receive, typename Send>
void runBoth(Receive receive, Send send, Cores cores = Cores::OneEach) {
  pid_t child = ::fork();
  if (child < 0)
    fail("cannot start a second process");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (cores == Cores::OneEach)
      pin(false);
    receive();
  }
  if (cores == Cores::OneEach)
    pin(true);
  send();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

} // namespace graphc::bench

#endif
