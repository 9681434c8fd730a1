// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command lines as the parser of the tools needs them.
#ifndef GRAPHC_RUNTIME_BASE_ARGUMENTS_H
#define GRAPHC_RUNTIME_BASE_ARGUMENTS_H

#include "runtime/base/Suggest.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// The arguments behind the tool's name, the last one first. "--flag=" becomes
/// the flag and an empty value; the parser would take the next argument for its
/// value.
inline std::vector<std::string> reversedArguments(int argc, char **argv) {
  std::vector<std::string> reversed;
  for (int i = argc - 1; i > 0; --i) {
    std::string_view text = argv[i];
    bool isEmptyValue = text.size() > 3 && text.starts_with("--") &&
                        text.find('=') == text.size() - 1;
    if (isEmptyValue) {
      reversed.emplace_back();
      text.remove_suffix(1);
    }
    reversed.emplace_back(text);
  }
  return reversed;
}

/// Describes a flag of `app`, a CLI::App, that has an empty value; empty when
/// none has. Such a value is that of a shell's variable that is not set:
/// without a word "--save=" would save nothing. `mayBeEmpty` are the names of
/// flags for which it has a meaning.
template <typename App>
std::string
describeEmptyFlag(const App &app,
                  std::initializer_list<std::string_view> mayBeEmpty = {}) {
  for (const auto *option : app.get_options()) {
    if (option->get_lnames().empty())
      continue;
    const std::string &name = option->get_lnames().front();
    const auto &values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end() &&
        std::find(mayBeEmpty.begin(), mayBeEmpty.end(), name) ==
            mayBeEmpty.end())
      return "--" + name + " has an empty value; give it one, or leave it out";
  }
  return "";
}

/// That `text`, which begins with '-', is no flag of `app`, a CLI::App, and
/// which one is near.
template <typename App>
std::string describeUnknownFlag(const App &app, const std::string &text) {
  std::vector<std::string> known;
  for (const auto *option : app.get_options())
    if (!option->get_lnames().empty())
      known.push_back("--" + option->get_lnames().front());
  std::string flag = text.substr(0, text.find('='));
  std::string nearest = nearestName(flag, known);
  return "unknown flag '" + flag + "'" +
         (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
}

/// The parser's text `what` of an error, or a plainer one where a value cannot
/// be converted to what a flag of `app`, a CLI::App, takes.
template <typename App>
std::string describeParseError(const App &app, const std::string &what) {
  constexpr std::string_view kFailed = "Could not convert: ";
  size_t sign = what.find(" = ");
  if (!what.starts_with(kFailed) || sign == std::string::npos)
    return what;
  std::string name = what.substr(kFailed.size(), sign - kFailed.size());
  std::string value = what.substr(sign + 3);
  const auto *option = app.get_option_no_throw(name);
  if (option && option->get_items_expected_max() == 0)
    return name + " takes no value, but '" + value + "' is given; leave it out";
  return name + " does not take '" + value + "'";
}

} // namespace graphc::runtime

#endif
