// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/server/PeerRoles.h"

#include <grpc/grpc_security_constants.h>

namespace graphc::runtime {

namespace {

/// gRPC gives none where there is no connection.
Roles rolesOf(const std::shared_ptr<const grpc::AuthContext> &peer) {
  std::vector<std::string> uris;
  if (peer)
    for (const grpc::string_ref &name :
         peer->FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME))
      uris.emplace_back(name.data(), name.size());
  return Roles::fromNames(uris);
}

} // namespace

Roles rolesOfCaller(const grpc::ServerContext &context, bool isTls) {
  return isTls ? rolesOf(context.auth_context()) : Roles::all();
}

Status callerLacksRole(const Roles &roles, const char *needed) {
  std::string role = needed;
  return permissionDenied("the caller's certificate has " + roles.toString() +
                          ", but this call needs the role '" + role +
                          "'; give it --tls-dir of a " + role +
                          " (its certificate has the URI graphc:role/" + role +
                          " among its names)");
}

Status checkServerRole(const grpc::ClientContext &context, bool isTls) {
  if (!isTls)
    return Status::ok();
  Roles roles = rolesOf(context.auth_context());
  if (roles.isTask)
    return Status::ok();
  return permissionDenied(
      "the certificate of the server at " + context.peer() + " has " +
      roles.toString() +
      ", but a server needs the role 'task'; correct the address, or start "
      "that server with --tls-dir of a task (its certificate has the URI "
      "graphc:role/task among its names)");
}

} // namespace graphc::runtime
