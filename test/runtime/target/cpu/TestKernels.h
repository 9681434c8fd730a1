// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code for tests, compiled from the C files in kernels/.
#ifndef GRAPHC_TEST_RUNTIME_TARGET_CPU_TESTKERNELS_H
#define GRAPHC_TEST_RUNTIME_TARGET_CPU_TESTKERNELS_H

#include "test/runtime/format/ModelBuilder.h"

namespace graphc::test {

/// The code of kernels/<name>.c, entered at its first byte. Aborts when there
/// is none.
Bytes testKernel(const std::string &name);

} // namespace graphc::test

#endif
