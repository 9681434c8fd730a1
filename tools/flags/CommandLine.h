// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of a tool: what all tools read, check and print in one way.
#ifndef GRAPHC_TOOLS_FLAGS_COMMANDLINE_H
#define GRAPHC_TOOLS_FLAGS_COMMANDLINE_H

#include "runtime/base/Status.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::flags {

inline constexpr int kExitFailure = 1;
inline constexpr int kExitBadCommandLine = 2;

/// Prints "TOOL: error: TEXT" to stderr.
void printError(std::string_view tool, const std::string &text);

/// The arguments after the program's name.
std::vector<std::string> argumentsOf(int argc, char **argv);

/// Parser of a tool's flags. `--version` and `--help` are there; everything
/// that is wrong ends the tool with kExitBadCommandLine and one line on stderr.
class CommandLine {
public:
  /// `about` is the first line of --help.
  CommandLine(const std::string &about, std::string tool);
  CommandLine(const CommandLine &) = delete;

  /// Parser to declare flags with.
  CLI::App &app() { return parser; }

  /// Describes an argument that is no flag and that no positional takes.
  /// Without it, such an argument is "no flag".
  std::function<std::string(const std::string &argument)> describeExtra;

  /// Flags, without "--", for which an empty value has a meaning. The empty
  /// value of any other is that of a shell's variable that is not set: without
  /// an error, "--save=" would save nothing.
  std::vector<std::string> mayBeEmpty;

  /// Reads the arguments into the variables that flags are bound to, then
  /// calls `check`, which converts and compares them. Returns the exit code if
  /// the tool is to end: after --help, --version or an error.
  std::optional<int> read(std::vector<std::string> arguments,
                          const std::function<runtime::Status()> &check);

private:
  runtime::Status checkArguments() const;
  std::string describeParseError(const std::string &what) const;
  std::string describeUnknownFlag(const std::string &text) const;

  std::string tool;
  CLI::App parser;
};

} // namespace graphc::flags

#endif
