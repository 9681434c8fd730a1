// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines that programs print.
#ifndef GRAPHC_RUNTIME_EXECUTOR_PRINTEDLINE_H
#define GRAPHC_RUNTIME_EXECUTOR_PRINTEDLINE_H

#include "runtime/base/DType.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace graphc::runtime {

/// A line to print.
struct PrintSpec {
  std::string message;
  TensorType type;    ///< of the value; no strings
  uint64_t count = 0; ///< elements that are shown; at most those of the value
};

/// "MESSAGE[1 2 3...]", as tf.Print of TensorFlow 1 writes a value: the dots
/// stand for elements that are left out, and each row of a value of two
/// dimensions or more is in brackets.
std::string printedLine(const PrintSpec &spec, const std::byte *bytes);

} // namespace graphc::runtime

#endif
