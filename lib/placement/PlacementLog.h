// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Log of placement decisions and reasons: kept when the module has moved on.
#ifndef GRAPHC_LIB_PLACEMENT_PLACEMENTLOG_H
#define GRAPHC_LIB_PLACEMENT_PLACEMENTLOG_H

#include "lib/placement/PlacementDecision.h"
#include "runtime/base/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// Texts that many records share, each kept once. Not thread-safe.
class TextTable {
public:
  uint32_t add(llvm::StringRef text);
  const std::string &operator[](uint32_t number) const { return all[number]; }
  const std::vector<std::string> &texts() const { return all; }

private:
  std::vector<std::string> all;
  llvm::StringMap<uint32_t> numbers;
};

/// A device of the set.
struct LoggedDevice {
  std::string name;       ///< full
  std::string legacyName; ///< ".../task:0/gpu:0"
  std::string type;
  int id = 0;
  std::optional<int64_t> memoryLimit; ///< bytes
  int64_t variableBytes = 0;
  int64_t ops = 0; ///< with variables and feeds
};

/// Alternative of devices `first` to `last` for a group.
struct LoggedAlternative {
  uint16_t first, last;
  ExcludedBy excluded; ///< `node` is a record
  /// Of an allowed device: predicted seconds per step more than now, if that
  /// was asked for.
  std::optional<double> cost;
};

/// Reason for the device of an op.
enum class PlacementReason : uint8_t {
  OnlyDevice,  ///< there is no other device
  Assigned,    ///< by `assigned_device`
  Request,     ///< by its own `device`
  Replication, ///< by the `device` that replication has given it
  UserRule,    ///< by a rule of the user
  Colocated,   ///< by what another member of its group asks for
  Kernel,      ///< no other device has kernels for its group
  Generator,   ///< all its users are there
  Metadata,    ///< its operand is there
  Policy,      ///< chosen by the policy
  Client,      ///< a feed comes from there
  First,       ///< its users, or its operand, give no device that it may be on
};

/// One op, variable or feed.
struct PlacementRecord {
  std::string name;
  uint32_t kind = 0;        ///< in texts: as TensorFlow names it, "MatMul"
  uint32_t graph = kNoNode; ///< in texts; kNoNode for a variable
  uint32_t file = kNoNode;  ///< in texts, if it is known
  uint32_t line = 0, column = 0;
  uint16_t device = 0;
  PlacementReason reason = PlacementReason::Policy;
  bool isPostponed = false; ///< its users were placed before it
  /// The record whose request, kernel or place counted, or kNoNode.
  uint32_t subject = kNoNode;
  uint32_t request = kNoNode; ///< in texts: what it asks for
  uint32_t asker = kNoNode;   ///< in texts: who does, if not the user
  /// True when its request does not count: soft placement gave it up, or it
  /// follows a variable that is elsewhere.
  bool isRequestIgnored = false;
  uint64_t movedBytes = 0; ///< then: per step, between it and other devices
  /// Predicted seconds that it keeps its device busy, if costs were wanted.
  std::optional<double> busySeconds;
  uint32_t group = 0;
};

/// Format of --log-device-placement.
enum class LogForm { Canonical, Legacy, Json };

/// Decisions of a placement, with their reasons. Thread-safety: none.
class PlacementLog {
public:
  TextTable texts;
  std::vector<LoggedDevice> devices;
  /// The variables, then the feeds and ops of each graph, in order.
  std::vector<PlacementRecord> records;
  /// Of group i those from alternativeBegin[i] up to alternativeBegin[i + 1],
  /// by device. The group's own device is among them.
  std::vector<LoggedAlternative> alternativeList;
  std::vector<uint32_t> alternativeBegin;
  std::string policy;
  /// Predicted seconds of a step of each graph but `init`, added up, if
  /// costs were wanted.
  std::optional<double> stepSeconds;

  llvm::ArrayRef<LoggedAlternative>
  alternatives(const PlacementRecord &record) const {
    return {alternativeList.data() + alternativeBegin[record.group],
            alternativeList.data() + alternativeBegin[record.group + 1]};
  }

  /// TensorFlow's two parts: the devices, then "name: (Op): device" per op in
  /// the order of placement; or everything as JSON, sorted by graph and name.
  void print(llvm::raw_ostream &stream, LogForm form) const;

  /// All of it in little space, with numbers for devices and texts:
  /// docs/placement.md describes the fields. Ends without a newline.
  std::string toJson() const;

  /// One line per op and variable, sorted: "@w DEVICE", "train/MatMul DEVICE".
  void printLock(llvm::raw_ostream &stream) const;

  /// In words: where the op is, why, and what about every other device. An op
  /// is "op", a variable also "@w"; "graph/op" is the op of one graph, where
  /// several have it. NotFound names the nearest one.
  runtime::StatusOr<std::string> explain(llvm::StringRef name) const;

  /// Seconds on its device, as predicted: "takes 2.000 us of a step of 10.000
  /// us"; empty where no costs were wanted, or it takes none.
  std::string costOf(const PlacementRecord &record) const;

  /// Reason for its device, as a clause: "it asks for '/device:GPU:0'".
  std::string whyOf(const PlacementRecord &record) const;
  /// Reason why its group is not on a device, as a clause; empty when it could
  /// be.
  std::string whyNotOf(const PlacementRecord &record,
                       const ExcludedBy &excluded) const;
  /// "model.tfir:12:5", or empty.
  std::string placeOf(const PlacementRecord &record) const;
  /// "train/MatMul", "@w".
  std::string keyOf(const PlacementRecord &record) const;
};

/// "first-gpu" or "policy": the reason as one word, for programs.
llvm::StringRef reasonName(PlacementReason reason);

} // namespace graphc

#endif
