// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of several failures of one run, the one that led to the others.
#ifndef GRAPHC_RUNTIME_CLIENT_FIRSTCAUSE_H
#define GRAPHC_RUNTIME_CLIENT_FIRSTCAUSE_H

#include "runtime/base/Status.h"
#include "runtime/protocol/cluster.pb.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// A task that fails by itself wins over those that only hear of it; among
/// reports that a task was lost, the task that most of them name; then steps
/// that made no progress, then what was cancelled. Thread-safety: as a value
/// type.
class FirstCause {
public:
  /// `reporter` is the task that reports it, or empty for the client itself.
  void add(std::string_view reporter, const protocol::Failure &failure);

  bool isEmpty() const { return reports.empty(); }
  /// True when no further report can be a better one.
  bool isCertain() const;
  /// REQUIRES: not isEmpty().
  const protocol::Failure &choose() const;

private:
  struct Report {
    int rank = 0;     ///< the lower, the better
    std::string lost; ///< the task that the report names
    protocol::Failure failure;
  };
  std::vector<Report> reports;
};

} // namespace graphc::runtime

#endif
