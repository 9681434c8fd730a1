// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target of a gRPC call, and identity of this machine.
#ifndef GRAPHC_RUNTIME_RPC_CALLTARGET_H
#define GRAPHC_RUNTIME_RPC_CALLTARGET_H

#include "runtime/base/TaskAddress.h"

namespace graphc::runtime {

/// A task's address; "grpc://" may stand before it. INVALID_ARGUMENT also for
/// port 0, at which nobody can be called.
StatusOr<TaskAddress> parseTarget(std::string_view text);

/// Tells machines apart, and containers that cannot reach each other's local
/// sockets: two processes with the same can share memory.
std::string hostIdentity();

} // namespace graphc::runtime

#endif
