// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deadlines in errors.
#ifndef GRAPHC_RUNTIME_SESSION_DEADLINETEXT_H
#define GRAPHC_RUNTIME_SESSION_DEADLINETEXT_H

#include <cstdint>
#include <cstdio>
#include <string>

namespace graphc::runtime {

/// "its deadline of 2.5 s", or "its deadline" where a session has none and a
/// request had its own.
inline std::string deadlineText(int64_t nanos) {
  char text[48] = "its deadline";
  if (nanos > 0)
    std::snprintf(text, sizeof text, "its deadline of %g s",
                  static_cast<double>(nanos) * 1e-9);
  return text;
}

} // namespace graphc::runtime

#endif
