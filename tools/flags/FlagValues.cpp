// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/flags/FlagValues.h"

#include <charconv>

namespace graphc::flags {

namespace {

std::string describeRange(int64_t min, int64_t max) {
  std::string text = "a whole number from " + std::to_string(min);
  return max == kAnyNumber ? text : text + " to " + std::to_string(max);
}

} // namespace

CLI::Validator wholeNumber(int64_t min, int64_t max) {
  auto check = [min, max](const std::string &text) -> std::string {
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() &&
        value >= min && value <= max)
      return "";
    return "it takes " + describeRange(min, max) + ", not '" + text + "'";
  };
  return CLI::Validator(check, "");
}

runtime::StatusOr<std::vector<NamedText>>
splitNamed(const std::string &flag, const std::vector<std::string> &values) {
  std::vector<NamedText> result;
  for (const std::string &text : values) {
    size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      return runtime::invalidArgument(flag + " takes NAME=VALUE, not '" + text +
                                      "'");
    result.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return result;
}

CLI::Option *addList(CLI::App &app, const char *flag,
                     std::vector<std::string> &list, const char *help) {
  return app.add_option(flag, list, help)->allow_extra_args(false);
}

void addThreads(CLI::App &app, int &threads) {
  constexpr int kMaxThreads = 1024;
  app.add_option("--threads", threads,
                 "Threads to compute with (default: one per core)")
      ->check(wholeNumber(1, kMaxThreads));
}

std::string alternatives(const std::vector<std::string_view> &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0)
      text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

} // namespace graphc::flags
