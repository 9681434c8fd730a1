// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds instructions of a graph's programs that are always done before others.
#ifndef GRAPHC_RUNTIME_EXECUTOR_WAITGRAPH_H
#define GRAPHC_RUNTIME_EXECUTOR_WAITGRAPH_H

#include "runtime/format/InstructionId.h"
#include "runtime/format/model_generated.h"

#include <vector>

namespace graphc::runtime {

/// Each program does its instructions one after the other; add() adds what is
/// between programs. Thread-safety: const calls may run at the same time.
class WaitGraph {
public:
  explicit WaitGraph(size_t programs) : waits(programs) {}

  /// `after` begins only when `before` is done.
  void add(InstructionId before, InstructionId after);

  /// True when `later` never begins before `earlier` is done. Takes time in
  /// proportion to the waits.
  bool isOrdered(InstructionId earlier, InstructionId later) const;

private:
  struct Wait {
    uint32_t before; ///< an instruction of the program that has the list
    InstructionId after;
  };
  std::vector<std::vector<Wait>> waits; ///< by program, sorted by `before`
};

} // namespace graphc::runtime

#endif
