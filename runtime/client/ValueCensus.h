// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out which tasks have values of the variables that they hold.
#ifndef GRAPHC_RUNTIME_CLIENT_VALUECENSUS_H
#define GRAPHC_RUNTIME_CLIENT_VALUECENSUS_H

#include "runtime/client/ClientState.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Descriptions of the tasks that hold a plan's variables, and what follows
/// from them. Thread-safety: one call at a time.
class ValueCensus {
public:
  using Description = protocol::Reply::Description;

  /// The state outlives this.
  explicit ValueCensus(const ClientMachine::State &state) : state(state) {}

  std::map<TaskId, Description> descriptions; ///< as the tasks answered

  /// A mirror or a variable's value of which another task has the same.
  struct Copy {
    ClusterVariable from;
    VariablePlace to;
  };

  /// True when a task has been told that there are values, or has lost them.
  bool isAnyTold() const {
    return std::ranges::any_of(descriptions, [](const auto &entry) {
      return entry.second.told() || !entry.second.values_lost().empty();
    });
  }
  bool areAllTold() const {
    return std::ranges::all_of(
        descriptions, [](const auto &entry) { return entry.second.told(); });
  }
  bool hasValues(TaskId task) const {
    auto found = descriptions.find(task);
    return found != descriptions.end() && found->second.initialized();
  }
  /// True when all tasks have values.
  bool isComplete() const {
    return std::ranges::all_of(descriptions, [](const auto &entry) {
      return entry.second.initialized();
    });
  }

  /// Returns copies that give the missing values.
  std::vector<Copy> copies() const;
  /// FAILED_PRECONDITION that names what no living task has; success: nothing.
  Status findLoss() const;

private:
  /// All places that have the variable's whole value, or none of them.
  static std::vector<VariablePlace> holders(const ClusterVariable &variable);
  std::optional<VariablePlace> living(const ClusterVariable &variable) const;
  std::string lossAt(TaskId task, const std::vector<std::string> &names) const;

  const ClientMachine::State &state;
};

} // namespace graphc::runtime

#endif
