// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which order the programs of a graph do their instructions.
#ifndef GRAPHC_LIB_SCHEDULE_ORDERSTEP_H
#define GRAPHC_LIB_SCHEDULE_ORDERSTEP_H

#include "lib/schedule/Launches.h"

namespace graphc {

/// One instruction.
struct StepItem {
  unsigned program;
  /// One op, or the sends or recvs that are one frame, in the same order at
  /// both ends.
  llvm::SmallVector<mlir::Operation *, 1> ops;
};

/// An order of all instructions in which each comes after what it needs.
/// Programs that follow it have no deadlock: of those that are not done, the
/// one whose instruction is first can do it.
///
/// The order of a single program is that of its graph, as far as dependencies
/// allow. Several are simulated, one clock per device: what is ready and has
/// the longest way to the end goes first; a value is sent as soon as it exists
/// and awaited right before its first use; small values that leave together for
/// one program are one frame. Fails, after an error, when programs wait for
/// each other.
mlir::FailureOr<std::vector<StepItem>> orderStep(StepGraph &graph);

} // namespace graphc

#endif
