// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statuses of the runtime as gRPC's, and back.
#ifndef GRAPHC_RUNTIME_RPC_STATUSMAP_H
#define GRAPHC_RUNTIME_RPC_STATUSMAP_H

#include "runtime/base/Status.h"

#include <grpcpp/support/status.h>

namespace graphc::runtime {

/// Long texts are cut: they travel in the headers of a call, which are limited.
grpc::Status toGrpc(const Status &status);

/// gRPC's own texts get the fix where one is known.
Status fromGrpc(const grpc::Status &status);

} // namespace graphc::runtime

#endif
