// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The id of a run.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_RUNKEY_H
#define GRAPHC_RUNTIME_TASK_RUNS_RUNKEY_H

#include "runtime/protocol/cluster.pb.h"

#include <compare>
#include <cstdint>

namespace graphc::runtime {

/// The client's incarnation, and a number that the client counts; never used
/// again. Snapshots have ids of the same kind.
struct RunKey {
  uint64_t client = 0;
  uint64_t number = 0;
  auto operator<=>(const RunKey &) const = default;
};

inline RunKey keyOf(const protocol::RunId &id) {
  return {id.client(), id.number()};
}

} // namespace graphc::runtime

#endif
