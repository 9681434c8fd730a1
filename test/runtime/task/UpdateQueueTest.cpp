// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the runs that entries are for, and what is left of a run that is over.
#include "runtime/task/updates/UpdateQueue.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

UpdateQueue queueOfTwo(flatbuffers::FlatBufferBuilder &builder) {
  builder.Finish(format::CreateInstanceDirect(
      builder, "train", /*worker=*/0, /*workers=*/2,
      format::Coordination::Async, "/job:ps/task:0"));
  return UpdateQueue(
      *flatbuffers::GetRoot<format::Instance>(builder.GetBufferPointer()),
      /*isCoordinator=*/true);
}

TEST(UpdateQueue, ARunThatIsOverIsForgotten) {
  flatbuffers::FlatBufferBuilder builder;
  UpdateQueue queue = queueOfTwo(builder);
  queue.setRun(1, {7, 1});
  queue.sequencer()->requestRead(1, 0);
  queue.forget(1, {7, 1}, /*isDone=*/true);
  EXPECT_EQ(queue.runOf(1), RunKey());
  EXPECT_EQ(queue.doneRuns(), 1u);
  EXPECT_TRUE(queue.isDoneSince(1, 0));
  EXPECT_FALSE(queue.isDoneSince(1, 1));
}

/// Its client has come again, and the end of its old run is heard of late.
TEST(UpdateQueue, TheEndOfAnOldRunIsNotThatOfANewOne) {
  flatbuffers::FlatBufferBuilder builder;
  UpdateQueue queue = queueOfTwo(builder);
  queue.setRun(0, {7, 1});
  queue.setRun(0, {8, 1});
  queue.sequencer()->requestRead(0, 0);
  queue.forget(0, {7, 1}, /*isDone=*/true);
  EXPECT_EQ(queue.runOf(0), (RunKey{8, 1}));
  EXPECT_EQ(queue.doneRuns(), 0u);
  EXPECT_FALSE(queue.isDoneSince(0, 0));
  EXPECT_EQ(queue.sequencer()->take().size(), 1u);
}

TEST(UpdateQueue, WorkersThatThereAreNotHaveNoRuns) {
  flatbuffers::FlatBufferBuilder builder;
  UpdateQueue queue = queueOfTwo(builder);
  queue.setRun(2, {7, 1});
  EXPECT_EQ(queue.runOf(2), RunKey());
}

} // namespace
