// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target of x86-64 CPUs: programs that threads of the host execute.
#ifndef GRAPHC_RUNTIME_TARGET_CPU_CPUDEVICETARGET_H
#define GRAPHC_RUNTIME_TARGET_CPU_CPUDEVICETARGET_H

#include "runtime/target/DeviceTarget.h"

namespace graphc::runtime {

/// The one object of the target.
const DeviceTarget &cpuTarget();

} // namespace graphc::runtime

#endif
