// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns for names of ops.
#include "runtime/base/Glob.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

TEST(Glob, WholeNamesFit) {
  EXPECT_TRUE(matchesGlob("logits/*", "logits/a/b"));
  EXPECT_TRUE(matchesGlob("conv[12]", "conv2"));
  EXPECT_FALSE(matchesGlob("conv[12]", "conv3"));
  EXPECT_FALSE(matchesGlob("logits", "logits/a"));
  EXPECT_FALSE(matchesGlob("", "a"));
  EXPECT_FALSE(matchesGlob("a[", "a")); // no pattern, and no crash
}

TEST(Glob, TowersAndResults) {
  EXPECT_TRUE(matchesOpName("logits", "tower_12/logits"));
  EXPECT_TRUE(matchesOpName("tower_1/*", "tower_1/logits"));
  EXPECT_FALSE(matchesOpName("logits", "tower_/logits"));
  EXPECT_FALSE(matchesOpName("logits", "tower_mean/logits"));
  EXPECT_TRUE(matchesOpName("image:0", "image"));
  EXPECT_TRUE(matchesOpName("image:1", "image:1"));
  EXPECT_FALSE(matchesOpName("image", "image:1"));
}

TEST(Glob, ListsKeepWhatIsEmpty) {
  EXPECT_EQ(splitList("a,b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(splitList("a,"), (std::vector<std::string>{"a", ""}));
}
