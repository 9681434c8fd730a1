// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests that wait for something to happen at a task, with deadlines.
#ifndef GRAPHC_RUNTIME_TASK_WAITINGREQUESTS_H
#define GRAPHC_RUNTIME_TASK_WAITINGREQUESTS_H

#include "runtime/task/OpenRequests.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace graphc::runtime {

/// Keeps requests in the order in which they came. An entry has a RequestKey
/// `key` and a time `deadline`. Thread-safety: one call at a time.
template <typename Entry> class WaitingRequests {
public:
  void add(Entry entry) { entries.push_back(std::move(entry)); }
  auto begin() { return entries.begin(); }
  auto end() { return entries.end(); }
  auto begin() const { return entries.begin(); }
  auto end() const { return entries.end(); }

  /// Removes the entries for which `isIt` holds.
  template <typename Predicate> std::vector<Entry> take(Predicate isIt) {
    std::vector<Entry> taken, kept;
    for (Entry &entry : entries)
      (isIt(std::as_const(entry)) ? taken : kept).push_back(std::move(entry));
    entries = std::move(kept);
    return taken;
  }
  /// Removes the entries whose deadline has come.
  std::vector<Entry> takeExpired(int64_t now) {
    return take([&](const Entry &entry) { return now >= entry.deadline; });
  }
  void dropClient(ClientId client) {
    std::erase_if(entries, [&](const Entry &entry) {
      return entry.key.client == client;
    });
  }
  /// INT64_MAX: nothing waits.
  int64_t nextDeadline() const {
    int64_t due = INT64_MAX;
    for (const Entry &entry : entries)
      due = std::min<int64_t>(due, entry.deadline);
    return due;
  }

private:
  std::vector<Entry> entries;
};

} // namespace graphc::runtime

#endif
