// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences between two models.
#ifndef GRAPHC_TOOLS_GRAPHC_DUMP_DIFF_H
#define GRAPHC_TOOLS_GRAPHC_DUMP_DIFF_H

#include "runtime/format/Model.h"

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace graphc::dump {

/// Something on another device; "" stands for not known.
struct Move {
  std::string graph; ///< empty for a variable
  std::string name;
  std::string before, after; ///< full names of devices
};

/// A number that changed; nothing where one model has no such thing.
struct Change {
  std::string graph; ///< empty where it belongs to the whole model
  std::string what;  ///< a device, or "A -> B"
  std::string unit;  ///< "bytes" or "messages"
  std::optional<uint64_t> before, after;
};

/// Thread-safety: as a value type.
struct ModelDiff {
  std::vector<Move> moved;
  std::vector<std::string> removed, added; ///< "graph/op", "variable w"
  std::vector<Change> links;               ///< per step
  std::vector<Change> memory;              ///< per device
  std::vector<std::string> kernelsRemoved, kernelsAdded;

  bool isEmpty() const;
};

/// Compares ops by graph and name, links and memory by device, kernels by name
/// and work. Everything is sorted. Fails when a report is malformed; models
/// without one are compared by what else they hold.
runtime::StatusOr<ModelDiff> diffModels(const runtime::Model &before,
                                        const runtime::Model &after);

void printDiff(const ModelDiff &diff, std::ostream &out);
nlohmann::ordered_json diffJson(const ModelDiff &diff);

} // namespace graphc::dump

#endif
