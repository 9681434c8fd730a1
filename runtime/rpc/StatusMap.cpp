// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/StatusMap.h"

namespace graphc::runtime {

namespace {
constexpr size_t kMaxText = 2000;
} // namespace

grpc::Status toGrpc(const Status &status) {
  return {static_cast<grpc::StatusCode>(status.code()),
          status.message().substr(0, kMaxText)};
}

Status fromGrpc(const grpc::Status &status) {
  if (status.ok())
    return Status::ok();
  std::string text = status.error_message();
  int code = status.error_code();
  if (code == grpc::StatusCode::UNAUTHENTICATED)
    code = static_cast<int>(StatusCode::PermissionDenied);
  if (code < 1 || code > static_cast<int>(StatusCode::DataLoss))
    code = static_cast<int>(StatusCode::Unknown);
  auto has = [&text](const char *part) {
    return text.find(part) != std::string::npos;
  };
  // A handshake that is given up, because the link fails meanwhile, is no
  // matter of certificates; there is one without TLS, too.
  bool isGivenUp = has("handshaker shutdown") || has("timed out");
  if ((has("andshake") && !isGivenUp) || has("not in peer certificate")) {
    code = static_cast<int>(StatusCode::PermissionDenied);
    text = "the certificates do not fit (" + text +
           "); both sides need ca.pem of the same CA (--tls-dir), and the "
           "server's certificate needs the name by which it is called "
           "(--make-certs with --host)";
  } else if (has("keepalive watchdog")) {
    text = "no heartbeat for some seconds: its process is stopped, or the "
           "network between is cut";
  } else if (code == grpc::StatusCode::RESOURCE_EXHAUSTED &&
             has("RST_STREAM with error code 11")) {
    // ENHANCE_YOUR_CALM: a quota for memory has picked this call.
    text = "it ended this call to keep its bound of memory: someone sends it "
           "messages far beyond the limit, or very many at once; find out who "
           "reaches its port";
  } else if (has("failed to connect") && has("Socket closed")) {
    text += "; someone closes the connection at once: a server with "
            "certificates does so where --tls-dir is missing";
  }
  return {static_cast<StatusCode>(code), text};
}

} // namespace graphc::runtime
