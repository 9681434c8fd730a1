// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the memory that a model takes on each device.
#ifndef GRAPHC_RUNTIME_FORMAT_DEVICEMEMORY_H
#define GRAPHC_RUNTIME_FORMAT_DEVICEMEMORY_H

#include "runtime/format/model_generated.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace graphc::runtime {

/// A variable, a constant, or a value in an arena.
struct MemoryItem {
  std::string text; ///< "variable 'w' at line 3"
  uint64_t bytes = 0;
};

/// Memory of one device, with all graphs of the model loaded. The code of the
/// kernels is not counted; it is there once for all.
struct DeviceMemory {
  std::string device;     ///< full name
  uint64_t variables = 0; ///< bytes of these
  uint64_t constants = 0; ///< that programs use, each once
  uint64_t arenas = 0;    ///< of all programs
  uint64_t scratch = 0;   ///< of all programs, beside their arenas
  /// In the host's memory while a training is saved: a copy of those variables
  /// that checkpoints have. Not in total().
  uint64_t saved = 0;
  /// The largest first. Those in one arena may share bytes.
  std::vector<MemoryItem> items;

  uint64_t total() const { return variables + constants + arenas + scratch; }
};

/// By name of the device, numbers as numbers. A variable without a device is
/// where the first program that uses it is. REQUIRES: a verified model.
std::vector<DeviceMemory> deviceMemory(const format::Model &model);

/// A line for each device, and under it its largest buffers.
void printDeviceMemory(const format::Model &model, std::ostream &out);

} // namespace graphc::runtime

#endif
