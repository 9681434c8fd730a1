// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drives the operations of a ClientMachine until they end, are cancelled or
// reach their deadline.
#ifndef GRAPHC_RUNTIME_SESSION_OPERATIONDRIVER_H
#define GRAPHC_RUNTIME_SESSION_OPERATIONDRIVER_H

#include "runtime/client/ClientMachine.h"
#include "runtime/client/TaskConnector.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace graphc::runtime {

struct OperationLimits {
  /// Of each operation; 0: none but the client's own.
  int64_t deadlineNanos = 0;
  /// See ClusterOptions.
  std::function<void(std::string_view text)> onStatus;
  std::function<bool()> isStopRequested;
};

/// A machine with its connections to the tasks. Thread-safety: one call at a
/// time, but for cancel().
class OperationDriver final : public ClientEnvironment {
public:
  OperationDriver(std::unique_ptr<TaskConnector> connector,
                  OperationLimits limits);

  /// Makes the machine. Call once.
  Status create(std::shared_ptr<const Model> plan, ClusterSpec cluster,
                const ClientOptions &options);
  ClientMachine &machine() { return *client; }
  const ClientMachine &machine() const { return *client; }

  /// Lets the machine work until its operation is over or the deadline has
  /// come. `what`: the operation, for people. `stopGraceNanos`: how much longer
  /// it may take once a stop is requested. `untilNanos`: of nowNanos(), where
  /// it is not the usual deadline.
  Status drive(const char *what, int64_t stopGraceNanos = 0,
               std::optional<int64_t> untilNanos = std::nullopt);
  /// Between operations: lets the machine take what tasks tell that write
  /// shards, until they have. For so long at most, 0: for the time of an
  /// operation; they are given up then, as when a stop is requested.
  void driveShards(int64_t mostNanos = 0);
  /// FAILED_PRECONDITION: an operation did not end when it was cancelled.
  Status checkUsable() const;
  /// Ends the operation that is driven with CANCELLED. Any thread.
  void cancel();

  // ClientEnvironment
  int64_t nowNanos() const override;
  void send(TaskId task, protocol::Request request) override;
  void status(std::string_view text) override;

private:
  void reportStatus(int64_t now);
  std::string awaitedText() const;
  bool mustStop(int64_t now, int64_t graceNanos);
  Status stopOperation(const Status &why);

  const OperationLimits how;
  std::unique_ptr<TaskConnector> connector;
  std::unique_ptr<ClientMachine> client;
  std::string lastStatus, reportedStatus;
  int64_t statusSince = 0;
  std::atomic<bool> isCancelled{false};
  int64_t stopSince = 0; ///< when a stop was requested; 0: it was not
  bool isStuck = false;  ///< an operation did not end when it was cancelled
};

} // namespace graphc::runtime

#endif
