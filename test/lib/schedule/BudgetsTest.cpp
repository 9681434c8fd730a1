// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of --budget: its forms, and what is said about others.
#include "lib/schedule/Budgets.h"

#include <gtest/gtest.h>

using namespace graphc;

namespace {

/// The budgets in their own words, or the message.
std::string parsed(llvm::StringRef text) {
  auto budgets = parseBudgets(text);
  if (!budgets.isOk())
    return budgets.status().message();
  std::string all;
  for (const Budget &budget : *budgets)
    all += (all.empty() ? "" : "; ") + budget.text;
  return all;
}

void expectError(llvm::StringRef text, const std::string &part) {
  std::string message = parsed(text);
  EXPECT_NE(message.find("--budget '" + text.str() + "': column " + part),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("; write 'link /gpu:*->/cpu:0 <= 4MiB'"),
            std::string::npos)
      << message;
}

TEST(Budgets, HaveThreeForms) {
  EXPECT_EQ(parsed("link /gpu:*->/cpu:0 <= 4MiB"),
            "link /device:GPU:*->/device:CPU:0 <= 4 MiB");
  EXPECT_EQ(parsed("messages /->/job:ps <= 64"), "messages /->/job:ps <= 64");
  EXPECT_EQ(parsed("peak /gpu:0<=1536KiB"), "peak /device:GPU:0 <= 1.5 MiB");
  EXPECT_EQ(parsed("link /->/ <= 0;peak /cpu:0 <= 100"),
            "link /->/ <= 0 bytes; peak /device:CPU:0 <= 100 bytes");
}

TEST(Budgets, CoverDevices) {
  auto budgets = parseBudgets("link /gpu:*->/job:ps <= 1");
  ASSERT_TRUE(budgets.isOk());
  auto name = [](const char *text) {
    return *runtime::DeviceName::parse(text);
  };
  const Budget &budget = budgets->front();
  EXPECT_TRUE(
      budget.source.covers(name("/job:worker/replica:0/task:1/device:GPU:3")));
  EXPECT_FALSE(
      budget.source.covers(name("/job:worker/replica:0/task:1/device:CPU:0")));
  EXPECT_FALSE(
      budget.target.covers(name("/job:worker/replica:0/task:1/device:CPU:0")));
}

TEST(Budgets, NameWhatIsWrong) {
  expectError("", "1: '' cannot be bounded; link, messages and peak can");
  expectError("speed /gpu:0 <= 4", "1: 'speed' cannot be bounded");
  expectError("link /gpu:0->/cpu:0 4MiB", "5: '<=' and a limit are missing");
  expectError("link /gpu:0 <= 4MiB", "6: '->' is missing between two devices");
  expectError("link /gpu:0-> <= 4MiB", "14: a device is missing");
  expectError("peak /gpu:0->/cpu:0 <= 4", "12: 'peak' bounds devices");
  expectError("peak /gpx:0 <= 4", "6: '/gpx:0' is not a device name");
  expectError("peak /gpu:0 <= 4MB", "16: '4MB'");
  expectError("messages /->/ <= 4MiB", "18: '4MiB' is no number of messages");
  expectError("peak /gpu:0 <= -4", "16: '-4'");
  expectError("peak /gpu:0 <= 4;", "18: '' cannot be bounded");
}

} // namespace
