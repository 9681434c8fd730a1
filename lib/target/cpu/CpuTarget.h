// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target of CPUs: vectors, micro-kernels and fused loops for x86-64.
#ifndef GRAPHC_LIB_TARGET_CPU_CPUTARGET_H
#define GRAPHC_LIB_TARGET_CPU_CPUTARGET_H

#include "lib/target/Target.h"

namespace graphc {

const Target &cpuTarget();

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_CPUTARGET_H
