// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cluster of four tasks whose client trains, for messages of another peer or
// client that come meanwhile.
#ifndef GRAPHC_TEST_FUZZ_RUNNINGCLUSTER_H
#define GRAPHC_TEST_FUZZ_RUNNINGCLUSTER_H

#include "test/runtime/task/DirectCluster.h"

namespace graphc::test {

/// Thread-safety: one call at a time.
class RunningCluster {
public:
  /// Two parameter servers and two workers with instances of their own; with
  /// shared memory or without.
  explicit RunningCluster(bool hasSharedMemory);

  /// Lets the client's run go on for so many events; a run that has ended is
  /// followed by another.
  void goOn(int turns);

  /// The run that goes: what a frame of it names.
  uint64_t runClient() const { return 1001; }
  uint64_t runNumber() const { return runs; }

  /// All clients go; nothing of them is left anywhere.
  void end();

  DirectCluster cluster;
  runtime::ClientId stranger; ///< another client's conversation
  std::string plan;           ///< the digest of what is loaded

private:
  runtime::ClientMachine *client;
  uint64_t runs = 1; ///< the first is of graph "init"
};

} // namespace graphc::test

#endif
