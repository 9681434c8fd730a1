// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scripts of faults, and what is said about wrong ones.
#include "runtime/sim/FaultScript.h"
#include "test/runtime/sim/SimModels.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

std::string failure(std::string_view text) {
  return FaultScript::parse(text, "f.txt", simCluster()).status().toString();
}

TEST(FaultScript, HasFaultsLinksAndRandomOnes) {
  auto script = FaultScript::parse(R"(# a comment
at 1.5s crash /job:ps/task:0
at step 10 stop /job:worker/task:1 for 20s   # and another
at event 7 crash /job:worker/task:0 restart 2s
at 0s slow /job:worker/task:1 by 8 for 300ms
at 20us cut client /job:ps/task:0

at 1s partition /job:ps/task:0 /job:worker/task:0 for 1.5ms
link /job:ps/task:0 /job:worker/task:1 loss 0.1 delay 5ms..50ms reorder 0.05
link all duplicate 0.5 rate 2e6
random 3 mild within 4s
random 1
)",
                                   "f.txt", simCluster());
  ASSERT_TRUE(script.isOk()) << script.status().toString();
  std::string text;
  for (const Fault &fault : script->faults)
    text += std::to_string(static_cast<int>(fault.when.unit)) + "," +
            std::to_string(fault.when.value) + ": " +
            describeFault(fault, simCluster()) + "\n";
  EXPECT_EQ(text,
            "0,1500000000: crash /job:ps/task:0\n"
            "1,10: stop /job:worker/task:1 for 20.000 s\n"
            "2,7: crash /job:worker/task:0, restart after 2.000 s\n"
            "0,0: slow /job:worker/task:1 by 8 for 0.300 s\n"
            "0,20000: cut client /job:ps/task:0\n"
            "0,1000000000: partition /job:ps/task:0 /job:worker/task:0 for "
            "0.002 s\n");
  ASSERT_EQ(script->links.size(), 2u);
  EXPECT_EQ(script->links[0].b, 2u);
  EXPECT_EQ(script->links[0].quality.loss, 0.1);
  EXPECT_EQ(script->links[0].quality.reorder, 0.05);
  EXPECT_EQ(script->links[0].quality.mostDelay, 50'000'000);
  EXPECT_EQ(script->links[1].a, kNoTask);
  EXPECT_EQ(script->links[1].quality.duplicate, 0.5);
  EXPECT_EQ(script->links[1].quality.rate, 2e6);
  ASSERT_EQ(script->random.size(), 2u);
  EXPECT_TRUE(script->random[0].isMild);
  EXPECT_EQ(script->random[0].withinNanos, 4'000'000'000);
  EXPECT_FALSE(script->random[1].isMild);
}

TEST(FaultScript, ErrorsNameLineAndWord) {
  EXPECT_EQ(failure("\n\nexplode"),
            "INVALID_ARGUMENT: f.txt:3: 'explode' stands where at, link or "
            "random is expected");
  EXPECT_EQ(failure("at 5 crash /job:ps/task:0"),
            "INVALID_ARGUMENT: f.txt:1: '5' stands where a time such as 1.5s, "
            "20ms or 300us is expected");
  EXPECT_EQ(failure("at 5s crash /job:ps/task:9"),
            "INVALID_ARGUMENT: f.txt:1: '/job:ps/task:9' stands where a task "
            "of the cluster (/job:ps/task:0, /job:worker/task:0, "
            "/job:worker/task:1) is expected");
  EXPECT_EQ(failure("at 5s stop /job:ps/task:0"),
            "INVALID_ARGUMENT: f.txt:1: the line ends where 'for' and a time "
            "is expected");
  EXPECT_EQ(failure("at 5s crash /job:ps/task:0 now"),
            "INVALID_ARGUMENT: f.txt:1: 'now' stands where the end of the "
            "line is expected");
  EXPECT_EQ(failure("link all loss 1.5"),
            "INVALID_ARGUMENT: f.txt:1: '1.5' stands where a probability from "
            "0 to below 1 is expected");
}

TEST(FaultScript, WrongNumbersAreRefused) {
  for (const char *text : {"at -1s crash /job:ps/task:0",
                           "at nans crash /job:ps/task:0",
                           "at 1e300s crash /job:ps/task:0",
                           "at step 0 crash /job:ps/task:0",
                           "at event x crash /job:ps/task:0",
                           "at 1s slow /job:ps/task:0 by 0",
                           "at 1s slow /job:ps/task:0 by nan",
                           "at 1s crash client",
                           "at 1s cut /job:ps/task:0 /job:ps/task:0",
                           "link all",
                           "link all loss",
                           "link all delay 9ms..5ms",
                           "link all rate 0",
                           "link all rate nan",
                           "link all delay",
                           "random 0",
                           "random 100000",
                           "random",
                           "at",
                           "at step",
                           "random 1 within"})
    EXPECT_NE(failure(text), "OK") << text;
}

TEST(FaultScript, NumbersAreTakenUpToTheirBounds) {
  struct Bounds {
    const char *before, *after;
    std::vector<const char *> taken, refused;
  };
  const Bounds all[] = {
      {"at 1s slow /job:ps/task:0 by ",
       "",
       {"0.01", "1e6"},
       {"0.0099", "1.1e6"}},
      {"link all rate ", "", {"1", "1e12"}, {"0.99", "1.1e12"}},
      {"link all loss ", "", {"0", "0.999"}, {"1", "-0.001"}},
      {"link all reorder ", "", {"0"}, {"1"}},
      {"link all duplicate ", "", {"0"}, {"1"}},
      {"link all delay ", "", {"0s", "5ms..5ms", "1us..2s"}, {"6ms..5ms"}},
      {"random ", "", {"1", "1000"}, {"1001", "-1", "1x"}},
      {"at step ", " crash /job:ps/task:0", {"1"}, {"0", "2.5"}},
      {"at ",
       " crash /job:ps/task:0",
       {"0s", "29999999s"},
       {"30000001s", "1"}}};
  for (const Bounds &each : all) {
    for (const char *value : each.taken)
      EXPECT_EQ(failure(each.before + std::string(value) + each.after), "OK")
          << each.before << value;
    for (const char *value : each.refused)
      EXPECT_NE(failure(each.before + std::string(value) + each.after)
                    .find("stands where"),
                std::string::npos)
          << each.before << value;
  }
}

TEST(FaultScript, WordsThatAreMissingAreNamed) {
  EXPECT_EQ(
      failure("at 1s slow /job:ps/task:0 for 2s"),
      "INVALID_ARGUMENT: f.txt:1: 'for' stands where 'by' and a factor is "
      "expected");
  EXPECT_EQ(failure("at 1s explode"),
            "INVALID_ARGUMENT: f.txt:1: 'explode' stands where crash, stop, "
            "slow, cut or partition is expected");
  EXPECT_EQ(
      failure("link /job:ps/task:0 /job:ps/task:0 loss 0.1"),
      "INVALID_ARGUMENT: f.txt:1: 'the same' stands where another task is "
      "expected");
  EXPECT_EQ(failure("at 1s cut client client"),
            "INVALID_ARGUMENT: f.txt:1: 'the same' stands where another end is "
            "expected");
  EXPECT_EQ(failure("link all speed 5"),
            "INVALID_ARGUMENT: f.txt:1: 'speed' stands where loss, duplicate, "
            "reorder, delay or rate is expected");
  EXPECT_EQ(failure("at 1s partition /job:ps/task:0 client"),
            "INVALID_ARGUMENT: f.txt:1: the line ends where 'for' and a time "
            "is expected");
}

TEST(FaultScript, TimesAreRounded) {
  auto script = FaultScript::parse("at 1.6us crash /job:ps/task:0\n"
                                   "at 0.0000000015s crash /job:ps/task:0",
                                   "f.txt", simCluster());
  ASSERT_TRUE(script.isOk());
  EXPECT_EQ(script->faults[0].when.value, 1600);
  EXPECT_EQ(script->faults[1].when.value, 2);
}

} // namespace
