// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distances of names and the texts made of them.
#include "runtime/base/Suggest.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

TEST(Suggest, EditDistance) {
  EXPECT_EQ(editDistance("", ""), 0u);
  EXPECT_EQ(editDistance("abc", ""), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(editDistance("loss", "los"), 1u);
  EXPECT_EQ(editDistance("imgae", "image"), 1u);
  EXPECT_EQ(editDistance("abcd", "badc"), 2u);
  EXPECT_EQ(editDistance("ab", "bca"), 3u);
}

TEST(Suggest, NearestName) {
  std::vector<std::string> known = {"accuracy", "loss", "logits"};
  EXPECT_EQ(nearestName("los", known), "loss");
  EXPECT_EQ(nearestName("acuracy", known), "accuracy");
  EXPECT_EQ(nearestName("logit", known), "logits");
  EXPECT_EQ(nearestName("prediction", known), "");
  EXPECT_EQ(nearestName("x", {"y"}), "") << "nothing in common";
}

TEST(Suggest, TheNearestOfSeveralWins) {
  EXPECT_EQ(nearestName("gradientt", {"gradxent", "gradient"}), "gradient");
  EXPECT_EQ(nearestName("abcdefghi", {"abcdefgxy", "abcdefghx"}), "abcdefghx");
}

TEST(Suggest, UnknownName) {
  EXPECT_EQ(unknownName("graph 'train'", "fetch", "los", {"loss", "w"}),
            "graph 'train' has no fetch 'los'; it has 'loss', 'w'; did you "
            "mean 'loss'?");
  EXPECT_EQ(unknownName("graph 'train'", "feed", "x", {}),
            "graph 'train' has no feed 'x'; it has none");
}

TEST(Suggest, LongListsAreCut) {
  std::vector<std::string> names(25, "n");
  EXPECT_NE(quotedList(names).find("'n' and 5 more"), std::string::npos);
}

} // namespace
