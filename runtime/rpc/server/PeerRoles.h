// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Permissions of the other side of a call, by its certificate.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_PEERROLES_H
#define GRAPHC_RUNTIME_RPC_SERVER_PEERROLES_H

#include "runtime/rpc/Credentials.h"

#include <grpcpp/client_context.h>
#include <grpcpp/server_context.h>

namespace graphc::runtime {

/// A caller's; without certificates it has all.
Roles rolesOfCaller(const grpc::ServerContext &context, bool isTls);

/// "the caller's certificate has no role, but this call needs 'task'; ..."
Status callerLacksRole(const Roles &roles, const char *needed);

/// Checks that the server is a task, when its first reply is there: call it
/// before anything is sent that is not for everyone. PERMISSION_DENIED names
/// the role that it has.
Status checkServerRole(const grpc::ClientContext &context, bool isTls);

} // namespace graphc::runtime

#endif
