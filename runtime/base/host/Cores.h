// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cores that this process may use.
#ifndef GRAPHC_RUNTIME_BASE_HOST_CORES_H
#define GRAPHC_RUNTIME_BASE_HOST_CORES_H

namespace graphc::runtime {

/// At least 1. Counts those of the affinity mask (taskset, cpusets of
/// containers), not those of the machine.
unsigned usableCores();

} // namespace graphc::runtime

#endif
