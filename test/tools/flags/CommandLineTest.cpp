// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that tools take, and each error in them.
#include "tools/flags/CommandLine.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::flags;

namespace {

/// A tool with a positional, a number, a text and a switch.
struct Tool {
  CommandLine line{"Does something.", "tool"};
  std::string file, text;
  int number = 0;
  bool isSet = false, isChecked = false;
  runtime::Status checked;
  std::string printed, failure; ///< what read() wrote to stdout and stderr

  Tool() {
    line.app().add_option("file", file, "A file");
    line.app().add_option("--text", text, "A text");
    line.app().add_option("--number", number, "A number");
    line.app().add_flag("--set", isSet, "A switch");
  }

  std::optional<int> read(const std::vector<std::string> &arguments) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    std::optional<int> code = line.read(arguments, [&] {
      isChecked = true;
      return checked;
    });
    printed = testing::internal::GetCapturedStdout();
    failure = testing::internal::GetCapturedStderr();
    return code;
  }
};

/// `problem` is all that is printed, and nothing is checked after it.
void expectProblem(Tool &tool, const std::vector<std::string> &arguments,
                   const std::string &problem) {
  EXPECT_EQ(tool.read(arguments), kExitBadCommandLine);
  EXPECT_EQ(tool.failure, "tool: error: " + problem + "; see tool --help\n");
  EXPECT_EQ(tool.printed, "");
  EXPECT_FALSE(tool.isChecked);
}

TEST(CommandLine, ReadsFlagsAndChecksThem) {
  Tool tool;
  EXPECT_EQ(tool.read({"--text=a", "file", "--number", "3", "--set"}),
            std::nullopt);
  EXPECT_EQ(tool.file, "file");
  EXPECT_EQ(tool.text, "a");
  EXPECT_EQ(tool.number, 3);
  EXPECT_TRUE(tool.isSet);
  EXPECT_TRUE(tool.isChecked);
  EXPECT_EQ(tool.printed + tool.failure, "");
}

TEST(CommandLine, HelpAndVersionEndTheTool) {
  Tool tool;
  EXPECT_EQ(tool.read({"--help"}), 0);
  EXPECT_TRUE(tool.printed.starts_with("Does something.")) << tool.printed;
  Tool other;
  EXPECT_EQ(other.read({"--version"}), 0);
  EXPECT_TRUE(other.printed.starts_with("tool ")) << other.printed;
  EXPECT_FALSE(tool.isChecked || other.isChecked);
}

TEST(CommandLine, UnknownFlagsHaveANeighbour) {
  Tool tool;
  expectProblem(tool, {"--numer=3"},
                "unknown flag '--numer'; did you mean '--number'?");
  Tool other;
  expectProblem(other, {"--qqqqqqqq"}, "unknown flag '--qqqqqqqq'");
}

TEST(CommandLine, ArgumentsThatAreTooMany) {
  Tool tool;
  expectProblem(tool, {"a", "b"}, "'b' is no flag");
  Tool other;
  other.line.describeExtra = [&](const std::string &text) {
    return "'" + text + "' follows '" + other.file + "'";
  };
  expectProblem(other, {"a", "b"}, "'b' follows 'a'");
}

TEST(CommandLine, EmptyValues) {
  for (const std::vector<std::string> &arguments :
       {std::vector<std::string>{"--text=", "a"}, {"--text", "", "a"}}) {
    Tool tool;
    expectProblem(tool, arguments,
                  "--text has an empty value; give it one, or leave it out");
  }
  Tool tool;
  tool.line.mayBeEmpty = {"text"};
  EXPECT_EQ(tool.read({"--text=", "a"}), std::nullopt);
  EXPECT_EQ(tool.file, "a");
}

TEST(CommandLine, ValuesOfAnotherType) {
  Tool tool;
  expectProblem(tool, {"--number=x"}, "--number does not take 'x'");
  Tool other;
  expectProblem(other, {"--set=x"},
                "--set takes no value, but 'x' is given; leave it out");
}

TEST(CommandLine, WhatTheToolFinds) {
  Tool tool;
  tool.checked = runtime::invalidArgument("--text contradicts --number");
  EXPECT_EQ(tool.read({}), kExitBadCommandLine);
  EXPECT_EQ(tool.failure, "tool: error: --text contradicts --number; see tool "
                          "--help\n");
}

TEST(CommandLine, ArgumentsBehindTheName) {
  char name[] = "tool", flag[] = "--flag";
  char *list[] = {name, flag};
  EXPECT_EQ(argumentsOf(2, list), std::vector<std::string>{"--flag"});
  EXPECT_TRUE(argumentsOf(1, list).empty());
  EXPECT_TRUE(argumentsOf(0, list).empty());
}

} // namespace
