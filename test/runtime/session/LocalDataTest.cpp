// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bound datasets, and how far graphs have read them.
#include "runtime/session/LocalData.h"

#include "test/runtime/session/TrainingRuns.h"

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

struct Data {
  Data() { EXPECT_TRUE(data.bind("points", pointsFile()).isOk()); }

  std::unique_ptr<LocalSession> session = openModel(linearModel(0));
  const format::Graph &train = *session->model().findGraph("train");
  LocalData data{session->model(), 0, {}};
};

TEST(LocalData, CountsStepsAndBatches) {
  Data all;
  EXPECT_EQ(*all.data.resume(all.train), std::nullopt);
  EXPECT_TRUE(all.data.positions().empty());
  all.data.noteSteps(all.train, 2, 2);
  all.data.noteSteps(all.train, 3, 1);
  GraphPosition position = all.data.positions().at("train");
  EXPECT_EQ(position.step, 3u);
  EXPECT_EQ(position.data["points"].batches, 3u);
}

TEST(LocalData, GoesOnOnceFromACheckpoint) {
  Data first, second;
  first.data.noteSteps(first.train, 3, 3);
  ASSERT_TRUE(second.data.restore(first.data.positions()).isOk());
  EXPECT_EQ(*second.data.resume(second.train), std::optional<uint64_t>(3));
  EXPECT_EQ(*second.data.resume(second.train), std::nullopt);
  second.data.noteSteps(second.train, 4, 1);
  EXPECT_EQ(second.data.positions().at("train").data.at("points").batches, 4u);
}

TEST(LocalData, APositionIsWhereTheNextRunBegins) {
  Data all;
  GraphPosition position;
  position.step = 7;
  all.data.setPosition("train", position);
  EXPECT_EQ(*all.data.resume(all.train), std::optional<uint64_t>(7));
  all.data.noteUnmadeStep(all.train);
  EXPECT_TRUE(all.data.rewind(all.train).isOk());
}

TEST(LocalData, RewindsWithoutTheFiles) {
  std::unique_ptr<LocalSession> session = openModel(linearModel(0));
  std::string file = newFile("rewound.csv");
  std::filesystem::copy_file(pointsFile(), file);
  EXPECT_EQ(session->rewindDataset("points").status().code(),
            StatusCode::FailedPrecondition);
  auto bound = session->bindDataset("points", file);
  ASSERT_TRUE(bound.isOk() && session->initialize().isOk());
  std::filesystem::remove(file);
  Losses first, again;
  ASSERT_TRUE(session->runSteps(training(2), keep(first)).isOk());
  auto rewound = session->rewindDataset("points");
  ASSERT_TRUE(rewound.isOk()) << rewound.status().toString();
  EXPECT_EQ(rewound->examples, bound->examples);
  session->setPosition("train", {});
  ASSERT_TRUE(session->initialize(true).isOk());
  ASSERT_TRUE(session->runSteps(training(2), keep(again)).isOk());
  EXPECT_EQ(again, first);
}

} // namespace
