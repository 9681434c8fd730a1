// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The faults of a simulated cluster, as text. One statement per line, `#`
// begins a comment; T is a task's name ("/job:ps/task:0") or "client":
//
//   at WHEN crash T [restart 2s]       the process is killed; it starts again
//   at WHEN stop T for 20s             it stops (SIGSTOP) and goes on
//   at WHEN slow T by 8 [for 3s]       its steps take eight times as long
//   at WHEN cut T T [for 3s]           the connection breaks; none for 3 s
//   at WHEN partition T T for 5s       nothing passes, nobody is told
//   link T T [loss 0.1] [duplicate 0.01] [reorder 0.05] [delay 5ms..50ms]
//       [rate 100000]                bytes per second
//   link all ...                       between all tasks
//   random 3 [mild] [within 2s]        faults by the seed; mild: such that a
//   run
//                                      survives
//
// WHEN is a time ("1.5s"), "step 10" (the client has results of ten steps) or
// "event 200" (so many events of tasks have passed).
#ifndef GRAPHC_RUNTIME_SIM_FAULTSCRIPT_H
#define GRAPHC_RUNTIME_SIM_FAULTSCRIPT_H

#include "runtime/base/Status.h"
#include "runtime/cluster/ClusterSpec.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// A place of a fault that is no task: the clients.
inline constexpr TaskId kClientEnd = kNoTask - 1;

struct FaultTime {
  enum class Unit { Nanos, Steps, Events };
  Unit unit = Unit::Nanos;
  int64_t value = 0;
};

struct Fault {
  enum class Kind { Crash, Stop, Slow, Cut, Partition };
  FaultTime when;
  Kind kind = Kind::Crash;
  TaskId a = kNoTask, b = kNoTask; ///< `b` of Cut and Partition
  int64_t forNanos = 0;            ///< Crash: until it starts again; 0: never
  double factor = 1;               ///< of Slow
};

/// Faults of the packets between two tasks.
struct LinkQuality {
  double loss = 0, duplicate = 0, reorder = 0; ///< probabilities
  int64_t leastDelay = 0, mostDelay = 0;       ///< beside the normal one
  double rate = 0; ///< bytes per second in each direction; 0: the normal one
  bool dropsPackets() const { return loss > 0 || duplicate > 0 || reorder > 0; }
};

struct LinkFault {
  TaskId a = kNoTask, b = kNoTask; ///< kNoTask: all
  LinkQuality quality;
};

struct RandomFaults {
  uint32_t count = 0;
  bool isMild = false;
  int64_t withinNanos = 2'000'000'000;
};

/// Thread-safety: a value type.
struct FaultScript {
  std::vector<Fault> faults;
  std::vector<LinkFault> links;
  std::vector<RandomFaults> random;

  /// INVALID_ARGUMENT with `where`, the line and the word.
  static StatusOr<FaultScript> parse(std::string_view text,
                                     std::string_view where,
                                     const ClusterSpec &cluster);
};

/// "crash /job:ps/task:0, restart after 2.0 s", for people.
std::string describeFault(const Fault &fault, const ClusterSpec &cluster);

} // namespace graphc::runtime

#endif
