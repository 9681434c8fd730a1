// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what the host's cores and memory can do at most.
#ifndef GRAPHC_RUNTIME_TARGET_CPU_MACHINELIMITS_H
#define GRAPHC_RUNTIME_TARGET_CPU_MACHINELIMITS_H

#include "runtime/target/cpu/CpuLevel.h"

namespace graphc::runtime {

struct MachineLimits {
  double flopsPerSecond = 0; ///< float32, multiplied and added in one
  double bytesPerSecond = 0; ///< from and to memory that no cache holds
};

/// Multiplies and adds in registers, then adds scaled arrays (a = b + s * c),
/// on `threads` threads of its own, for about 100 ms together; the best of some
/// rounds. `level` is one that the CPU has.
MachineLimits measureLimits(int threads, CpuLevel level);

} // namespace graphc::runtime

#endif
