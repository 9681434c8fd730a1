// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules for devices: which one an op gets, and their mistakes.
#include "lib/placement/inputs/PlacementRules.h"

#include <gtest/gtest.h>

#include <chrono>

using namespace graphc;

namespace {

runtime::StatusOr<PlacementRules> parse(std::vector<std::string> place,
                                        const char *file = nullptr) {
  std::optional<runtime::TextFile> rules;
  if (file)
    rules = runtime::TextFile{"r.txt", file};
  return PlacementRules::parse(place, rules);
}

/// The origin and the device of the rule for an op, "-" for none.
std::string match(const runtime::StatusOr<PlacementRules> &rules,
                  llvm::StringRef name, llvm::StringRef kind = "MatMul",
                  llvm::StringRef mnemonic = "tfir.matmul",
                  llvm::StringRef graph = "train") {
  if (!rules.isOk())
    return "error: " + rules.status().message();
  const PlacementRule *rule = rules->match({name, kind, mnemonic, graph});
  return rule ? rule->origin + " " + rule->device.toString() : "-";
}

bool fits(const char *regex, llvm::StringRef text) {
  auto pattern = TextPattern::regex(regex);
  EXPECT_TRUE(pattern.isOk()) << pattern.status().message();
  return pattern.isOk() && pattern->matches(text);
}

TEST(TextPattern, FitsTheWholeText) {
  for (const char *regex : {"conv", "c[o]nv", "(conv)", "conv|pool"}) {
    EXPECT_TRUE(fits(regex, "conv")) << regex;
    EXPECT_FALSE(fits(regex, "conv1")) << regex;
    EXPECT_FALSE(fits(regex, "xconv")) << regex;
    EXPECT_FALSE(fits(regex, "")) << regex;
  }
  EXPECT_TRUE(fits("conv|pool", "pool"));
  for (const char *regex : {"conv.*", "(conv).*", "conv.*.*", "con[v].*"}) {
    EXPECT_TRUE(fits(regex, "conv")) << regex;
    EXPECT_TRUE(fits(regex, "conv1/w")) << regex;
    EXPECT_FALSE(fits(regex, "con")) << regex;
    EXPECT_FALSE(fits(regex, "tower_0/conv1")) << regex;
  }
  EXPECT_TRUE(fits(".*", ""));
  EXPECT_TRUE(fits(".*", "a"));
  EXPECT_TRUE(fits(".*bias", "fc1/bias"));
  EXPECT_FALSE(fits(".*bias", "fc1/bias_1"));
  EXPECT_TRUE(fits("a\\.*", "a.."));
  EXPECT_FALSE(fits("a\\.*", "a.b"));
  EXPECT_TRUE(fits("a\\\\.*", "a\\b"));
  EXPECT_TRUE(fits("a|b.*", "bc"));
  EXPECT_FALSE(fits("a|b.*", "ac"));
  EXPECT_TRUE(fits("ab*", "a"));
  EXPECT_TRUE(fits("ab?c.*", "acd"));
  EXPECT_TRUE(fits("ab{0,1}", "a"));
  EXPECT_TRUE(fits("ab+", "abb"));
  EXPECT_FALSE(fits("ab+", "a"));
  EXPECT_TRUE(fits("^ab$", "ab"));
  EXPECT_FALSE(fits("^ab$", "abc"));
  EXPECT_TRUE(fits("a\\.b", "a.b"));
  EXPECT_FALSE(fits("a\\.b", "axb"));
  EXPECT_TRUE(fits("x{2,3}", "xxx"));
  EXPECT_FALSE(fits("x{2,3}", "xxxx"));
  EXPECT_TRUE(TextPattern::exactly("a.*").matches("a.*"));
  EXPECT_FALSE(TextPattern::exactly("a.*").matches("ab"));
}

TEST(PlacementRules, FirstMatchWins) {
  auto rules = parse({"name~conv1.*=/gpu:1", "name~conv.*=/gpu:2"},
                     "# none of these hides the ones above\n"
                     "\n"
                     "name~conv1.*=/gpu:3\n"
                     "  name~.* = /cpu:0  # all others\n");
  EXPECT_EQ(match(rules, "conv1/w"), "--place /device:GPU:1");
  EXPECT_EQ(match(rules, "conv2/w"), "--place /device:GPU:2");
  EXPECT_EQ(match(rules, "fc"), "r.txt:4 /device:CPU:0");
  ASSERT_EQ(rules->rules().size(), 4u);
  EXPECT_EQ(rules->rules()[3].text, "name~.* = /cpu:0");
  EXPECT_EQ(rules->rules()[2].origin, "r.txt:3");
}

TEST(PlacementRules, FieldsAndConjunction) {
  for (const char *op :
       {"op~MatMul=/gpu:0", "op~Mat.*=gpu:0", "op~ma[t]mul=/gpu:0",
        "op~tfir.matmul=/gpu:0", "op=matmul=/gpu:0"}) {
    EXPECT_EQ(match(parse({op}), "a"), "--place /device:GPU:0") << op;
    EXPECT_EQ(match(parse({op}), "a", "Add", "tfir.add"), "-") << op;
  }
  auto both = parse({"name~conv.* & op~MatMul&graph~train=/job:ps/cpu:0"});
  EXPECT_EQ(match(both, "conv1"), "--place /job:ps/device:CPU:0");
  EXPECT_EQ(match(both, "fc"), "-");
  EXPECT_EQ(match(both, "conv1", "Add", "tfir.add"), "-");
  EXPECT_EQ(match(both, "conv1", "MatMul", "tfir.matmul", "eval"), "-");
  auto exact = parse({"name=a.b=/gpu:1"});
  EXPECT_EQ(match(exact, "a.b"), "--place /device:GPU:1");
  EXPECT_EQ(match(exact, "axb"), "-");
  EXPECT_EQ(match(parse({"name~a=b=/gpu:1"}), "a=b"), "--place /device:GPU:1");
}

TEST(PlacementRules, ARuleMayLeaveOpsFree) {
  auto rules = parse({"name~.*bias=/", "name~.*=/gpu:0"});
  EXPECT_EQ(match(rules, "fc/bias"), "--place ");
  EXPECT_EQ(match(rules, "fc/w"), "--place /device:GPU:0");
}

TEST(PlacementRules, FilesMayBeOfWindows) {
  EXPECT_EQ(match(parse({}, "\r\nname~a=/gpu:0\r\nname~b#1=/gpu:1\r\n"), "a"),
            "r.txt:2 /device:GPU:0");
  EXPECT_EQ(match(parse({}, "name~b#1=/gpu:1"), "b#1"),
            "r.txt:1 /device:GPU:1");
  EXPECT_TRUE(parse({}, "")->empty());
  EXPECT_EQ(match(parse({}, "#"), "a"), "-");
}

TEST(PlacementRules, WarnsOfSmallLetters) {
  auto rules = parse({"name~a=/device:gpu:0", "name~b=/gpu:0"});
  ASSERT_TRUE(rules.isOk());
  EXPECT_EQ(rules->warnings(),
            (std::vector<std::string>{
                "--place 'name~a=/device:gpu:0': '/device:gpu:0' is read as "
                "'/device:GPU:0'; write 'GPU' in capitals, since for "
                "TensorFlow 'gpu' is another kind of device"}));
}

TEST(PlacementRules, NamesOriginCauseAndCure) {
  const std::string forms =
      "; write it as 'name~conv.*=/gpu:0', 'op~MatMul=/gpu:0', "
      "'graph~train=/gpu:0', 'name=EXACT=/gpu:0', or several of these "
      "conditions with '&' between them";
  auto error = [](const std::string &rule) {
    return match(parse({rule}), "a");
  };
  EXPECT_EQ(error("name~a"),
            "error: --place 'name~a': the rule has no '='" + forms);
  EXPECT_EQ(error("a=/gpu:0"),
            "error: --place 'a=/gpu:0': 'a' is no condition" + forms);
  EXPECT_EQ(error("name~a&=/gpu:0"),
            "error: --place 'name~a&=/gpu:0': '' is no condition" + forms);
  EXPECT_EQ(error("node~a=/gpu:0"),
            "error: --place 'node~a=/gpu:0': there is no field 'node', only "
            "name, op and graph" +
                forms);
  EXPECT_EQ(error("name~=/gpu:0"),
            "error: --place 'name~=/gpu:0': nothing stands after 'name~'" +
                forms);
  EXPECT_EQ(error("name~a="),
            "error: --place 'name~a=': no device stands after the last '='; "
            "write one, or '/' to leave the ops free");
  EXPECT_EQ(
      error("name~a=/gpu:x")
          .find("error: --place 'name~a=/gpu:x': '/gpu:x' is not a device "
                "name: column 6: 'x' is not a number; accepted are "),
      0u);
  EXPECT_EQ(
      error("name~a=gpu")
          .find("error: --place 'name~a=gpu': 'gpu' is not a device name: "
                "column 1: without '/' it must be a type and a number"),
      0u);
  EXPECT_EQ(error("name~(a=/gpu:0"),
            "error: --place 'name~(a=/gpu:0': '(a' is no regular expression: "
            "parentheses not balanced; correct it, with '\\' before a "
            "character that is meant as it is");
  EXPECT_NE(error("name~a)(b=/gpu:0").find("is no regular expression"),
            std::string::npos);
  EXPECT_EQ(error("name~(a)\\1=/gpu:0"),
            "error: --place 'name~(a)\\1=/gpu:0': '(a)\\1' refers back to a "
            "part in parentheses; write that part again");
  std::string large = "name~" + std::string(1001, 'a') + "=/gpu:0";
  EXPECT_EQ(error(large),
            "error: --place '" + large +
                "': a regular expression of 1001 "
                "characters is too large; use at most 1000, and '*' for large "
                "counts in '{}'");
  EXPECT_NE(error("name~((a{200}){200}){200}=/gpu:0").find("is too large"),
            std::string::npos);
  EXPECT_EQ(match(parse({}, "# ok\nname~a=/gpu:0\n\nop~[=/gpu:0\n"), "a")
                .find("error: r.txt:4: 'op~[=/gpu:0': '[' is no regular "
                      "expression: "),
            0u);
}

TEST(PlacementRules, AreFastForManyOps) {
  auto rules = parse({"name~tower_[13]/.*=/gpu:1", "name~fc.*&op~MatMul=/gpu:2",
                      "graph~eval=/cpu:0"});
  ASSERT_TRUE(rules.isOk());
  std::vector<std::string> names;
  for (int i = 0; i < 100000; ++i)
    names.push_back("tower_" + std::to_string(i % 4) + "/block_" +
                    std::to_string(i) + "/conv/Conv2D");
  auto start = std::chrono::steady_clock::now();
  size_t matched = 0;
  for (const std::string &name : names)
    matched +=
        rules->match({name, "Conv2D", "tfir.conv2d", "train"}) != nullptr;
  std::chrono::duration<double, std::micro> spent =
      std::chrono::steady_clock::now() - start;
  EXPECT_EQ(matched, 50000u);
  // 1 us each is usual; the machine may be busy.
  EXPECT_LT(spent.count() / names.size(), 20.0);
}

} // namespace
