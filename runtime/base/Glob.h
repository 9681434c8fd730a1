// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns for names: "logits", "tower_*/gradients/*", "conv[12]/Relu".
#ifndef GRAPHC_RUNTIME_BASE_GLOB_H
#define GRAPHC_RUNTIME_BASE_GLOB_H

#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// True when the whole name fits: '*' is any text, also with '/', '?' is one
/// character, "[a-c]" one of some.
bool matchesGlob(const std::string &pattern, const std::string &name);

/// The same for an op, as its author wrote the name: a pattern that fits behind
/// the "tower_N/" of a tower fits, and so does "NAME:0" for the first result,
/// whose name is that of the op.
bool matchesOpName(const std::string &pattern, const std::string &name);

/// The texts between commas; empty ones are left in.
std::vector<std::string> splitList(std::string_view text);

} // namespace graphc::runtime

#endif
