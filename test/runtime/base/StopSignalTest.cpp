// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first signal sets the flag, a later one ends the process.
#include "runtime/base/StopSignal.h"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <thread>

using namespace graphc::runtime;

namespace {

TEST(StopSignalDeathTest, TheFirstIsAFlagALaterOneEnds) {
  catchStopSignals();
  EXPECT_FALSE(stopRequested());
  raise(SIGINT);
  EXPECT_TRUE(stopRequested());
  raise(SIGINT); // at once: the same wish again
  raise(SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(1010));
  EXPECT_EXIT(raise(SIGINT), testing::KilledBySignal(SIGINT), "");
}

} // namespace
