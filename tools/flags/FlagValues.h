// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of flags that more than one tool takes.
#ifndef GRAPHC_TOOLS_FLAGS_FLAGVALUES_H
#define GRAPHC_TOOLS_FLAGS_FLAGVALUES_H

#include "runtime/base/Status.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphc::flags {

/// No upper bound of wholeNumber().
inline constexpr int64_t kAnyNumber = std::numeric_limits<int64_t>::max();

/// Accepts whole numbers from `min` to `max`.
CLI::Validator wholeNumber(int64_t min, int64_t max = kAnyNumber);

/// NAME=VALUE.
struct NamedText {
  std::string name;
  std::string text;
};

/// Splits the values of `flag`. INVALID_ARGUMENT shows one that is not
/// NAME=VALUE.
runtime::StatusOr<std::vector<NamedText>>
splitNamed(const std::string &flag, const std::vector<std::string> &values);

/// A flag that may be given several times, with one value each time.
CLI::Option *addList(CLI::App &app, const char *flag,
                     std::vector<std::string> &list, const char *help);

/// Adds --threads, for a tool that computes.
void addThreads(CLI::App &app, int &threads);

/// "a, b or c".
std::string alternatives(const std::vector<std::string_view> &words);

/// The value of `flag` that `text` names; `choices` are pairs of a name and a
/// value. INVALID_ARGUMENT lists the names.
template <typename Choices>
auto parseChoice(const std::string &flag, const std::string &text,
                 const Choices &choices)
    -> runtime::StatusOr<decltype(std::begin(choices)->second)> {
  std::vector<std::string_view> names;
  for (const auto &[name, value] : choices) {
    if (name == text)
      return value;
    names.push_back(name);
  }
  return runtime::invalidArgument(flag + " takes " + alternatives(names) +
                                  ", not '" + text + "'");
}

} // namespace graphc::flags

#endif
