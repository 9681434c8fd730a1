// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/StatusMap.h"

namespace graphc::runtime {

namespace {
constexpr size_t kMostText = 2000;
} // namespace

grpc::Status toGrpc(const Status &status) {
  return {static_cast<grpc::StatusCode>(status.code()),
          status.message().substr(0, kMostText)};
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
  if (text.find("andshake") != std::string::npos) {
    code = static_cast<int>(StatusCode::PermissionDenied);
    text = "the certificates do not fit (" + text +
           "); both sides need ca.pem of the same CA (--tls-dir), and the "
           "server's certificate needs the name by which it is called";
  }
  return {static_cast<StatusCode>(code), text};
}

} // namespace graphc::runtime
