// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clients that ask for more than they should.
#ifndef GRAPHC_BENCH_SOAK_FLOOD_H
#define GRAPHC_BENCH_SOAK_FLOOD_H

#include <cstddef>
#include <string>

namespace graphc::bench {

struct FloodResult {
  size_t requests = 0; ///< that were sent
  size_t replies = 0;  ///< that were read
  size_t ended = 0;    ///< conversations that the server has ended
};

/// Holds as many conversations with the task for some seconds. Each prepares a
/// run of the graph "flood" of the plan, whose digest is given, then sends
/// requests for a step, with a feed "x" of so many floats, as fast as it can.
/// Every second one never reads its replies.
FloodResult flood(const std::string &address, const std::string &digest,
                  size_t floats, size_t clients, double seconds);

} // namespace graphc::bench

#endif
