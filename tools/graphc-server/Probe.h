// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resources that a machine offers to a cluster.
#ifndef GRAPHC_TOOLS_GRAPHC_SERVER_PROBE_H
#define GRAPHC_TOOLS_GRAPHC_SERVER_PROBE_H

#include "runtime/base/Status.h"

namespace graphc::server {

/// Prints devices, CPU level and memory. FAILED_PRECONDITION where the CPU
/// cannot run kernels.
runtime::Status probe(bool isJson);

} // namespace graphc::server

#endif
