// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of devices, full and partial, as TensorFlow 1.x writes them:
// /job:worker/replica:0/task:2/device:CPU:1. A field that is absent or `*`
// leaves it open.
#ifndef GRAPHC_RUNTIME_BASE_DEVICENAME_H
#define GRAPHC_RUNTIME_BASE_DEVICENAME_H

#include "runtime/base/Status.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace graphc::runtime {

/// Five fields, each of which may be open.
/// Thread-safety: as a value type.
struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type; ///< "CPU" or another kind
  std::optional<int> id;

  bool operator==(const DeviceName &) const = default;

  /// Parts in any order, each after a slash: job:NAME, replica:N, task:N,
  /// device:TYPE, device:TYPE:N, and cpu:N, gpu:N for short; `*` leaves a part
  /// open, of two equal parts the later counts. These types may be written in
  /// small letters. "" and "/" leave everything open. InvalidArgument names the
  /// text, the column and what is wrong there, and the accepted forms.
  static StatusOr<DeviceName> parse(std::string_view text);

  /// As parse, and also the short form without a slash, "CPU:1".
  static StatusOr<DeviceName> parseLocal(std::string_view text);

  /// As parse or parseLocal; what the text leaves open is taken from `base`.
  /// InvalidArgument also when `base` is not full.
  static StatusOr<DeviceName> canonicalise(std::string_view text,
                                           const DeviceName &base);

  /// In the canonical order; "" when everything is open. parse reads it back.
  std::string toString() const;

  /// As TensorFlow's tutorials print it: ".../cpu:0", ".../gpu:1"; other types
  /// as toString.
  std::string toLegacyString() const;

  /// All five fields are set.
  bool isFull() const;

  /// Every field that is set here is set to the same in `other`, which sets as
  /// much or more: a full `other` is one of the devices that this name stands
  /// for.
  bool covers(const DeviceName &other) const;

  /// No field is set to different values.
  bool isCompatibleWith(const DeviceName &other) const;

  /// Job, replica and task are set and the same: one process, one memory.
  bool isInSameTaskAs(const DeviceName &other) const;

  /// This name with the fields that are set in `inner` replaced by those: what
  /// an inner scope makes of an outer one.
  DeviceName overriddenBy(const DeviceName &inner) const;

  /// The task's part and the rest, "CPU:1". InvalidArgument unless type and id
  /// are set.
  StatusOr<std::pair<std::string, std::string>> split() const;

  /// The CPU beside this device.
  DeviceName hostDevice() const;

  /// This name without type and id: the task's.
  DeviceName taskName() const;

  /// By job, replica, task, type and id, numbers as numbers: CPU:2 is before
  /// CPU:10. What is open comes first.
  bool operator<(const DeviceName &other) const;
};

/// A name, and what the user may be told about its spelling.
struct ParsedDeviceName {
  DeviceName name;
  /// Set for "/device:cpu:0" and the like, which are read as "/device:CPU:0"
  /// although TensorFlow takes "cpu" for a kind of its own.
  std::optional<std::string> warning;
};

/// As DeviceName::parse.
StatusOr<ParsedDeviceName> parseDeviceName(std::string_view text);

/// Policy of mergeDeviceNames for types or ids that differ.
enum class PlacementMode {
  Hard, ///< refuses
  Soft  ///< leaves them open
};

/// The fields of both, whatever the order. InvalidArgument names both when a
/// field is set to different values, which for type and id only hard placement
/// minds.
StatusOr<DeviceName>
mergeDeviceNames(const DeviceName &a, const DeviceName &b,
                 PlacementMode placement = PlacementMode::Hard);

} // namespace graphc::runtime

#endif
