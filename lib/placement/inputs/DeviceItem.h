// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Syntax of one device or several: "gpu:0", "gpu:0-3", "gpu:2=4GiB",
// "/job:worker/task:1/device:GPU:0".
#ifndef GRAPHC_LIB_PLACEMENT_INPUTS_DEVICEITEM_H
#define GRAPHC_LIB_PLACEMENT_INPUTS_DEVICEITEM_H

#include "runtime/base/DeviceName.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace graphc {

/// Job, replica and task are all set or all open; type and id are set.
struct DeviceItem {
  runtime::DeviceName first;
  int last = 0;                  ///< id of the last device
  std::optional<int64_t> memory; ///< bytes of each
  std::optional<int> priority;
  std::string text;  ///< as written
  std::string place; ///< where: "--devices" or "file:line"
  /// Some may have been named before.
  bool optional = false;
  std::optional<std::string> warning; ///< on the spelling, without the place
};

/// Reads a name, full or partial, with or without the slash before a local one
/// ("gpu:1"). InvalidArgument as DeviceName::parseLocal gives it.
runtime::StatusOr<runtime::ParsedDeviceName>
parseUserDevice(llvm::StringRef text);

/// Reads a name in a file of the user, where `place` is file and line, which
/// begin the message of a failure.
runtime::StatusOr<runtime::DeviceName> parseDeviceAt(const std::string &place,
                                                     llvm::StringRef text);

/// A name, or several with a range of numbers. The message of a failure has
/// no place.
runtime::StatusOr<DeviceItem> parseDeviceRange(llvm::StringRef text);

/// The same, with "=4GiB" after it or not.
runtime::StatusOr<DeviceItem> parseDeviceItem(llvm::StringRef text);

/// The bytes of "4GiB", "512MiB", "1KiB", "100B" or "4096". InvalidArgument
/// for anything else, 0 and what 63 bits cannot hold.
runtime::StatusOr<int64_t> parseByteSize(llvm::StringRef text);

/// The number, if that is all the text is and it fits.
std::optional<int> parseIndex(llvm::StringRef text);

} // namespace graphc

#endif
