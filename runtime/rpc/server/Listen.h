// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnoses why a server cannot listen at an address.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_LISTEN_H
#define GRAPHC_RUNTIME_RPC_SERVER_LISTEN_H

#include "runtime/rpc/CallTarget.h"

namespace graphc::runtime {

/// Finds the cause where gRPC only reports failure, by trying. A unix socket
/// that nobody listens to is not in the way. ALREADY_EXISTS: taken;
/// PERMISSION_DENIED; INVALID_ARGUMENT: not an address of this machine.
Status checkCanListen(const TaskAddress &address);

} // namespace graphc::runtime

#endif
