// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of anything in the runtime that can fail.
#ifndef GRAPHC_RUNTIME_BASE_STATUS_H
#define GRAPHC_RUNTIME_BASE_STATUS_H

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace graphc::runtime {

/// Kinds of failure. The numbers are gRPC's, so they are sent as they are.
enum class StatusCode {
  Ok = 0,
  Cancelled = 1,
  Unknown = 2,
  InvalidArgument = 3,
  DeadlineExceeded = 4,
  NotFound = 5,
  AlreadyExists = 6,
  PermissionDenied = 7,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  Aborted = 10,
  OutOfRange = 11, ///< the end of the data, too
  Unimplemented = 12,
  Internal = 13,
  Unavailable = 14,
  DataLoss = 15
};

/// The name of a code as gRPC spells it, e.g. "INVALID_ARGUMENT".
const char *statusCodeName(StatusCode code);

/// Success, or a code with a message. Success costs a null pointer.
/// Thread-safety: as a value type.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message);

  static Status ok() { return Status(); }

  bool isOk() const { return !rep; }
  StatusCode code() const { return rep ? rep->code : StatusCode::Ok; }
  const std::string &message() const;

  /// The same failure seen from one layer further up: "<where>: <message>".
  /// Success stays success.
  Status annotate(std::string_view where) const;

  /// "OK", or "CODE: message".
  std::string toString() const;

private:
  struct Rep {
    StatusCode code;
    std::string message;
  };
  std::shared_ptr<const Rep> rep;
};

Status invalidArgument(std::string message);
Status notFound(std::string message);
Status failedPrecondition(std::string message);
Status outOfRange(std::string message);
Status dataLoss(std::string message);
Status internalError(std::string message);
Status unavailable(std::string message);
Status resourceExhausted(std::string message);
Status permissionDenied(std::string message);
Status cancelled(std::string message);

/// A value, or the reason why there is none.
/// Thread-safety: as a value type.
template <typename T> class [[nodiscard]] StatusOr {
public:
  StatusOr(T value) : stored(std::move(value)) {}
  StatusOr(Status failure) : failure(std::move(failure)) {
    assert(!this->failure.isOk() && "a StatusOr without value needs a failure");
  }

  bool isOk() const { return stored.has_value(); }
  const Status &status() const { return failure; }

  /// REQUIRES: isOk().
  T &value() & { return *stored; }
  const T &value() const & { return *stored; }
  T &&value() && { return std::move(*stored); }
  T &operator*() & { return *stored; }
  const T &operator*() const & { return *stored; }
  T *operator->() { return &*stored; }
  const T *operator->() const { return &*stored; }

private:
  Status failure;
  std::optional<T> stored;
};

} // namespace graphc::runtime

#define GRAPHC_CONCAT_IMPL(a, b) a##b
#define GRAPHC_CONCAT(a, b) GRAPHC_CONCAT_IMPL(a, b)

/// Returns from the function when `expr` is a failure.
#define GRAPHC_TRY(expr)                                                       \
  do {                                                                         \
    ::graphc::runtime::Status graphcStatus = (expr);                           \
    if (!graphcStatus.isOk())                                                  \
      return graphcStatus;                                                     \
  } while (false)

/// Assigns the value of the StatusOr `expr` to `lhs`, or returns its failure.
#define GRAPHC_ASSIGN_OR_RETURN(lhs, expr)                                     \
  GRAPHC_ASSIGN_OR_RETURN_IMPL(GRAPHC_CONCAT(graphcOr, __LINE__), lhs, expr)
#define GRAPHC_ASSIGN_OR_RETURN_IMPL(temp, lhs, expr)                          \
  auto temp = (expr);                                                          \
  if (!temp.isOk())                                                            \
    return temp.status();                                                      \
  lhs = std::move(temp).value()

#endif
