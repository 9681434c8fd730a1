// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of a graph that are in memory at some moment of a step, by name.
#ifndef GRAPHC_RUNTIME_INSPECT_KEPTVALUES_H
#define GRAPHC_RUNTIME_INSPECT_KEPTVALUES_H

#include "runtime/base/DType.h"
#include "runtime/base/Status.h"
#include "runtime/format/Model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Prefix of the names of variables.
inline constexpr const char *kVariablePrefix = "variables/";

/// A value in a slot of a program. Memory is used again within the step, so it
/// is looked at when it was made.
struct KeptValue {
  enum class When : uint8_t {
    Begin, ///< a feed
    After, ///< `instruction`, the last one that writes the slot
    End    ///< a variable, as the step leaves it
  };

  std::string name; ///< of the op, feed or fetch, or "variables/NAME"; once
  When when = When::After;
  uint32_t program = 0;
  uint32_t instruction = 0;
  uint32_t slot = 0;
  TensorType type;
  uint32_t line = 0; ///< from 1; 0: not known
};

/// The values of a graph: feeds, what instructions make, program by program,
/// and the variables that it uses. Values without a name, constants and copies
/// that were received are left out. A second value of a name, on another
/// device, has "@DEVICE" behind it, or a number.
std::vector<KeptValue> keptValues(const Model &model,
                                  const format::Graph &graph);

/// The values that fit a pattern (matchesOpName), in their order. `missing` are
/// the patterns that nothing fits.
std::vector<KeptValue> selectValues(const std::vector<KeptValue> &values,
                                    const std::vector<std::string> &patterns,
                                    std::vector<std::string> &missing);

} // namespace graphc::runtime

#endif
