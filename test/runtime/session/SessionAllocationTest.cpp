// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A training step with its data takes nothing from the heap.
#include "runtime/session/LocalSession.h"
#include "test/runtime/executor/AllocationCount.h"
#include "test/runtime/session/SessionModels.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

TEST(SessionAllocation, StepsAllocateNothing) {
  if (!test::countsAllocations())
    GTEST_SKIP() << "a sanitizer owns the heap";
  std::string path = testing::TempDir() + "allocation-points.csv";
  std::ofstream file(path);
  for (int i = 0; i < 40; ++i)
    file << i % 4 << "," << 3 * (i % 4) << "\n";
  file.close();
  auto model = Model::fromBytes(test::linearModel(0).finish(), "m.bin");
  ASSERT_TRUE(model.isOk());
  SessionOptions options;
  options.threads = 2;
  auto session = LocalSession::create(*model, options);
  ASSERT_TRUE(session.isOk());
  ASSERT_TRUE((*session)->initialize().isOk());
  Status bound = (*session)->bindDataset("points", path).status();
  ASSERT_TRUE(bound.isOk()) << bound.message();
  uint64_t before = 0, after = 0;
  auto outcome =
      (*session)->runSteps({"train", {}, {}, 300}, [&](const StepView &view) {
        (view.step() < 20 ? before : after) = test::allocationCount();
        return true;
      });
  ASSERT_TRUE(outcome.isOk()) << outcome.status().message();
  EXPECT_EQ(after, before);
}

} // namespace
