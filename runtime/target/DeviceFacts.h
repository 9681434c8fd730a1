// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Description of a device of this machine: its number, its model and its
// memory.
#ifndef GRAPHC_RUNTIME_TARGET_DEVICEFACTS_H
#define GRAPHC_RUNTIME_TARGET_DEVICEFACTS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace graphc::runtime {

/// One device of a target. Thread-safety: as a value type.
struct DeviceFacts {
  int number = 0;     ///< among the devices of its type
  std::string type;   ///< as device names have it
  std::string model;  ///< the maker's name; empty: not known
  std::string arch;   ///< what code is compiled for
  uint64_t bytes = 0; ///< of memory; 0: not known
  /// Further facts that users of the target know it by: name in words, value.
  std::vector<std::pair<std::string, std::string>> details;

  /// "device: 0, name: MODEL, DETAIL: VALUE, ...", as TensorFlow's tutorials
  /// show it.
  std::string toString() const {
    std::string text = "device: " + std::to_string(number) + ", name: " + model;
    for (const auto &[name, value] : details)
      text += ", " + name + ": " + value;
    return text;
  }
};

} // namespace graphc::runtime

#endif
