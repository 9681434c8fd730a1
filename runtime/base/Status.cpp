// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Status.h"

namespace graphc::runtime {

const char *statusCodeName(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return "OK";
  case StatusCode::Cancelled:
    return "CANCELLED";
  case StatusCode::Unknown:
    return "UNKNOWN";
  case StatusCode::InvalidArgument:
    return "INVALID_ARGUMENT";
  case StatusCode::DeadlineExceeded:
    return "DEADLINE_EXCEEDED";
  case StatusCode::NotFound:
    return "NOT_FOUND";
  case StatusCode::AlreadyExists:
    return "ALREADY_EXISTS";
  case StatusCode::PermissionDenied:
    return "PERMISSION_DENIED";
  case StatusCode::ResourceExhausted:
    return "RESOURCE_EXHAUSTED";
  case StatusCode::FailedPrecondition:
    return "FAILED_PRECONDITION";
  case StatusCode::Aborted:
    return "ABORTED";
  case StatusCode::OutOfRange:
    return "OUT_OF_RANGE";
  case StatusCode::Unimplemented:
    return "UNIMPLEMENTED";
  case StatusCode::Internal:
    return "INTERNAL";
  case StatusCode::Unavailable:
    return "UNAVAILABLE";
  case StatusCode::DataLoss:
    return "DATA_LOSS";
  }
  return "UNKNOWN";
}

Status::Status(StatusCode code, std::string message) {
  if (code != StatusCode::Ok)
    rep = std::make_shared<const Rep>(Rep{code, std::move(message)});
}

const std::string &Status::message() const {
  static const std::string empty;
  return rep ? rep->message : empty;
}

Status Status::annotate(std::string_view where) const {
  if (isOk())
    return *this;
  return Status(code(), std::string(where) + ": " + message());
}

std::string Status::toString() const {
  if (isOk())
    return "OK";
  return std::string(statusCodeName(code())) + ": " + message();
}

Status invalidArgument(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}
Status notFound(std::string message) {
  return Status(StatusCode::NotFound, std::move(message));
}
Status failedPrecondition(std::string message) {
  return Status(StatusCode::FailedPrecondition, std::move(message));
}
Status outOfRange(std::string message) {
  return Status(StatusCode::OutOfRange, std::move(message));
}
Status dataLoss(std::string message) {
  return Status(StatusCode::DataLoss, std::move(message));
}
Status internalError(std::string message) {
  return Status(StatusCode::Internal, std::move(message));
}
Status unavailable(std::string message) {
  return Status(StatusCode::Unavailable, std::move(message));
}
Status resourceExhausted(std::string message) {
  return Status(StatusCode::ResourceExhausted, std::move(message));
}
Status permissionDenied(std::string message) {
  return Status(StatusCode::PermissionDenied, std::move(message));
}
Status cancelled(std::string message) {
  return Status(StatusCode::Cancelled, std::move(message));
}

} // namespace graphc::runtime
