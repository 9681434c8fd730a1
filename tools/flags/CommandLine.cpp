// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/flags/CommandLine.h"

#include "runtime/base/Suggest.h"

#include <algorithm>
#include <cstdio>

namespace graphc::flags {

using runtime::invalidArgument;
using runtime::Status;

namespace {

/// The arguments as the parser takes them, the last one first. "--flag="
/// becomes the flag and an empty value; the parser would take the next argument
/// for its value.
std::vector<std::string> reversed(std::vector<std::string> arguments) {
  std::vector<std::string> result;
  std::reverse(arguments.begin(), arguments.end());
  for (std::string &text : arguments) {
    bool isEmptyValue = text.size() > 3 && text.starts_with("--") &&
                        text.find('=') == text.size() - 1;
    if (isEmptyValue) {
      result.emplace_back();
      text.pop_back();
    }
    result.push_back(std::move(text));
  }
  return result;
}

} // namespace

void printError(std::string_view tool, const std::string &text) {
  std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(tool.size()),
               tool.data(), text.c_str());
}

std::vector<std::string> argumentsOf(int argc, char **argv) {
  return {argv + std::min(argc, 1), argv + argc};
}

CommandLine::CommandLine(const std::string &about, std::string toolName)
    : tool(std::move(toolName)), parser(about, tool) {
  parser.allow_extras();
  parser.set_version_flag("--version", tool + " " GRAPHC_VERSION);
}

/// That `text`, which begins with '-', is no flag, and which one is near.
std::string CommandLine::describeUnknownFlag(const std::string &text) const {
  std::vector<std::string> known;
  for (const CLI::Option *option : parser.get_options())
    if (!option->get_lnames().empty())
      known.push_back("--" + option->get_lnames().front());
  std::string flag = text.substr(0, text.find('='));
  std::string nearest = runtime::nearestName(flag, known);
  return "unknown flag '" + flag + "'" +
         (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
}

/// The parser's text of an error, or a plainer one if a value cannot be
/// converted to what its flag takes.
std::string CommandLine::describeParseError(const std::string &what) const {
  constexpr std::string_view kFailed = "Could not convert: ";
  size_t sign = what.find(" = ");
  if (!what.starts_with(kFailed) || sign == std::string::npos)
    return what;
  std::string name = what.substr(kFailed.size(), sign - kFailed.size());
  std::string value = what.substr(sign + 3);
  const CLI::Option *option = parser.get_option_no_throw(name);
  if (option && option->get_items_expected_max() == 0)
    return name + " takes no value, but '" + value + "' is given; leave it out";
  return name + " does not take '" + value + "'";
}

/// Arguments that the parser left over, and flags with an empty value.
Status CommandLine::checkArguments() const {
  for (const std::string &text : parser.remaining()) {
    if (text.starts_with('-'))
      return invalidArgument(describeUnknownFlag(text));
    return invalidArgument(describeExtra ? describeExtra(text)
                                         : "'" + text + "' is no flag");
  }
  for (const CLI::Option *option : parser.get_options()) {
    if (option->get_lnames().empty())
      continue;
    const std::string &name = option->get_lnames().front();
    if (std::ranges::count(option->results(), "") != 0 &&
        std::ranges::count(mayBeEmpty, name) == 0)
      return invalidArgument("--" + name +
                             " has an empty value; give it one, or leave it "
                             "out");
  }
  return Status::ok();
}

std::optional<int> CommandLine::read(std::vector<std::string> arguments,
                                     const std::function<Status()> &check) {
  Status status;
  try {
    parser.parse(reversed(std::move(arguments)));
    status = checkArguments();
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return parser.exit(error);
    status = invalidArgument(describeParseError(error.what()));
  }
  if (status.isOk())
    status = check();
  if (status.isOk())
    return std::nullopt;
  printError(tool, status.message() + "; see " + tool + " --help");
  return kExitBadCommandLine;
}

} // namespace graphc::flags
