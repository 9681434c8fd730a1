// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jobs that nobody waits for.
#include "runtime/transport/SpareThread.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace graphc::runtime {
namespace {

TEST(SpareThread, DoesOneJobAfterTheOther) {
  std::vector<int> done;
  std::atomic<int> left{3};
  SpareThread spare;
  std::thread::id own = std::this_thread::get_id();
  for (int i = 0; i < 3; ++i)
    spare.add([&, i] {
      EXPECT_NE(std::this_thread::get_id(), own);
      EXPECT_EQ(::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())), 19);
      done.push_back(i);
      --left;
    });
  while (left.load() > 0)
    std::this_thread::yield();
  spare.stop();
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
}

TEST(SpareThread, IsStoppedAfterTheJobOfNow) {
  std::atomic<bool> hasBegun{false}, mayEnd{false};
  std::atomic<int> done{0};
  SpareThread spare;
  spare.add([&] {
    hasBegun = true;
    while (!mayEnd.load())
      std::this_thread::yield();
    ++done;
  });
  spare.add([&] { ++done; });
  while (!hasBegun.load())
    std::this_thread::yield();
  std::thread stopper([&] { spare.stop(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(done.load(), 0); // it waits
  mayEnd = true;
  stopper.join();
  spare.add([&] { ++done; });
  EXPECT_EQ(done.load(), 1);
}

} // namespace
} // namespace graphc::runtime
