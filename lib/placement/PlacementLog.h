// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What placement decided, and why: kept when the module has moved on.
#ifndef GRAPHC_LIB_PLACEMENT_PLACEMENTLOG_H
#define GRAPHC_LIB_PLACEMENT_PLACEMENTLOG_H

#include "lib/placement/PlacementDecision.h"
#include "runtime/base/Status.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// A device of the set, and how many ops it got.
struct LoggedDevice {
  std::string name; ///< full
  std::string legacyName;
  std::string type;
  std::optional<int64_t> memoryLimit; ///< bytes
};

/// What else a group could have done; one per device, in the set's order.
struct LoggedAlternative {
  ExcludedBy excluded; ///< `node` is a record
  /// Predicted seconds per step more than now, when it was asked for and the
  /// device is allowed. A choice that another one contradicts, as with a device
  /// that has no room for the constraint of a neighbour, has none.
  std::optional<double> cost;
};

/// Why an op is where it is.
enum class PlacementReason : uint8_t {
  Assigned,   ///< by `assigned_device`
  Request,    ///< by its own `device`
  UserRule,   ///< by a rule of the user
  Colocated,  ///< by what another member of its group asks for
  Kernel,     ///< no other device has kernels for it
  Generator,  ///< all its users are there
  Metadata,   ///< its operand is there
  Policy,     ///< chosen by the policy
  OnlyDevice, ///< there is no other device
};

/// One op or variable.
struct PlacementRecord {
  std::string name;
  std::string kind;  ///< as TensorFlow names it, "MatMul"
  std::string graph; ///< empty for a variable
  std::string place; ///< "model.tfir:12:5", or empty
  uint16_t device = 0;
  PlacementReason reason = PlacementReason::Policy;
  /// The record whose request, variable, or place counted, or kNoNode.
  uint32_t subject = kNoNode;
  /// What that request is: a device, or a rule with its origin.
  std::string request;
  Softened softened = Softened::Nothing;
  std::string softenedFrom; ///< what was given up
  uint32_t group = 0;       ///< of alternatives()
  bool inPolicy = false;    ///< several devices were allowed
};

/// How --log-device-placement prints.
enum class LogForm { Canonical, Legacy, Json };

/// Thread-safety: none.
class PlacementLog {
public:
  /// What shall be computed beside the records: cost differences cost time.
  struct Wanted {
    std::vector<std::string> costsOf; ///< names of ops, or graph/op
    bool allCosts = false;            ///< of all, where the graph is small
  };
  Wanted wanted;

  std::vector<LoggedDevice> devices;
  /// In the order of placement: ops in the order of the module, then those
  /// that followed others.
  std::vector<PlacementRecord> records;
  /// By group, then by device.
  std::vector<std::vector<LoggedAlternative>> alternatives;
  std::string policy;
  /// Predicted seconds of a step of each graph but `init`.
  std::optional<double> predictedStep;

  /// TensorFlow's two parts: the devices, then "name: (Op): device" per op; or
  /// everything as JSON, sorted.
  void print(llvm::raw_ostream &stream, LogForm form) const;

  /// All records, devices and alternatives; ends without a newline.
  std::string toJson() const;

  /// In words: where the op is, why, and what about every other device. An op
  /// of a graph is "op" or "graph/op". NotFound names the nearest one.
  runtime::StatusOr<std::string> explain(llvm::StringRef name) const;

  /// One sentence: "on GPU:0, since ..."
  std::string reasonOf(const PlacementRecord &record) const;
};

} // namespace graphc

#endif
