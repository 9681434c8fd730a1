// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that flags take, and what is said of others.
#include "tools/flags/FlagValues.h"

#include <gtest/gtest.h>

using namespace graphc::flags;

namespace {

std::string problemOf(const CLI::Validator &validator, std::string text) {
  return validator(text);
}

TEST(FlagValues, WholeNumbers) {
  EXPECT_EQ(problemOf(wholeNumber(1, 9), "1"), "");
  EXPECT_EQ(problemOf(wholeNumber(1, 9), "9"), "");
  EXPECT_EQ(problemOf(wholeNumber(0), "9223372036854775807"), "");
  for (const char *text : {"0", "10", "x", "3x", "", " 3", "1.5", "-1"})
    EXPECT_EQ(problemOf(wholeNumber(1, 9), text),
              "it takes a whole number from 1 to 9, not '" + std::string(text) +
                  "'");
  EXPECT_EQ(problemOf(wholeNumber(0), "9223372036854775808"),
            "it takes a whole number from 0, not '9223372036854775808'");
}

TEST(FlagValues, NamesWithTexts) {
  auto list = splitNamed("--data", {"a=b", "c=d=e"});
  ASSERT_TRUE(list.isOk());
  ASSERT_EQ(list->size(), 2u);
  EXPECT_EQ(list->at(0).name, "a");
  EXPECT_EQ(list->at(0).text, "b");
  EXPECT_EQ(list->at(1).text, "d=e");
  for (const char *text : {"a", "=b", "a=", ""}) {
    auto split = splitNamed("--data", {"a=b", text});
    EXPECT_EQ(split.status().code(),
              graphc::runtime::StatusCode::InvalidArgument);
    EXPECT_EQ(split.status().message(),
              "--data takes NAME=VALUE, not '" + std::string(text) + "'");
  }
}

TEST(FlagValues, Choices) {
  constexpr std::pair<std::string_view, int> kNumbers[] = {
      {"one", 1}, {"two", 2}, {"three", 3}};
  EXPECT_EQ(*parseChoice("--number", "two", kNumbers), 2);
  EXPECT_EQ(parseChoice("--number", "four", kNumbers).status().message(),
            "--number takes one, two or three, not 'four'");
  EXPECT_EQ(alternatives({"one"}), "one");
  EXPECT_EQ(alternatives({"one", "two"}), "one or two");
}

} // namespace
