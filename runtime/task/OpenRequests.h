// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The requests of clients that have no last reply yet, and the replies to them.
#ifndef GRAPHC_RUNTIME_TASK_OPENREQUESTS_H
#define GRAPHC_RUNTIME_TASK_OPENREQUESTS_H

#include "runtime/base/Status.h"
#include "runtime/task/TaskHost.h"

#include <compare>
#include <set>
#include <string>
#include <vector>

namespace graphc::runtime {

/// A request of a client's conversation.
struct RequestKey {
  ClientId client = 0;
  uint64_t id = 0;
  auto operator<=>(const RequestKey &) const = default;
};

/// Keeps which requests run, and closes them with their last reply. A request
/// that is answered at once need not be opened. Thread-safety: one call at a
/// time.
class OpenRequests {
public:
  /// `task` names this task in failures.
  OpenRequests(ClientChannel &clients, std::string task)
      : clients(clients), task(std::move(task)) {}

  void open(const RequestKey &key) { keys.insert(key); }
  bool isOpen(const RequestKey &key) const { return keys.contains(key); }
  size_t size() const { return keys.size(); }
  /// Without a reply: the last one was sent by another, or none is wanted.
  void close(const RequestKey &key) { keys.erase(key); }
  void dropClient(ClientId client);

  // Last replies.
  void answer(const RequestKey &key, protocol::Reply reply);
  void done(const RequestKey &key) { answer(key, {}); }
  void fail(const RequestKey &key, const Status &status);
  void fail(const RequestKey &key, const protocol::Failure &failure);
  void failAll(const protocol::Failure &failure);

  /// Refuses a second request with the id of one that runs, which goes on.
  void refuse(const RequestKey &key, const Status &status);
  /// A line for the client's user; the request stays as it is.
  void status(const RequestKey &key, const std::string &text);

private:
  ClientChannel &clients;
  const std::string task;
  std::set<RequestKey> keys;
};

} // namespace graphc::runtime

#endif
