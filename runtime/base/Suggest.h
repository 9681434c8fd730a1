// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts for a name that nothing has: which names there are, and which one
// was probably meant.
#ifndef GRAPHC_RUNTIME_BASE_SUGGEST_H
#define GRAPHC_RUNTIME_BASE_SUGGEST_H

#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// The least number of insertions, deletions and substitutions of one byte, and of
/// exchanges of two neighbours, that turn `from` into `to`.
size_t editDistance(std::string_view from, std::string_view to);

/// The entry of `known` that differs from `name` in at most a third of its
/// bytes, the nearest one; empty when there is none.
std::string nearestName(std::string_view name,
                        const std::vector<std::string> &known);

/// "'a', 'b', 'c'"; names beyond the twentieth are only counted.
std::string quotedList(const std::vector<std::string> &names);

/// "<what> has no <kind> '<name>'; it has 'a', 'b'; did you mean 'a'?".
std::string unknownName(std::string_view what, std::string_view kind,
                        std::string_view name,
                        const std::vector<std::string> &known);

} // namespace graphc::runtime

#endif
