// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which run of a worker tickets are for, and what is left of one that is over.
#include "runtime/task/RunTickets.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

RunTickets ticketsOfTwo(flatbuffers::FlatBufferBuilder &builder) {
  builder.Finish(format::CreateInstanceDirect(
      builder, "train", /*worker=*/0, /*workers=*/2,
      format::Coordination::Async, "/job:ps/task:0"));
  return RunTickets(
      *flatbuffers::GetRoot<format::Instance>(builder.GetBufferPointer()),
      /*isCoordinator=*/true);
}

TEST(RunTickets, ARunThatIsOverIsForgotten) {
  flatbuffers::FlatBufferBuilder builder;
  RunTickets tickets = ticketsOfTwo(builder);
  tickets.setRun(1, {7, 1});
  tickets.order()->requestRead(1, 0);
  tickets.forget(1, {7, 1}, /*isDone=*/true);
  EXPECT_EQ(tickets.runOf(1), RunKey());
  EXPECT_EQ(tickets.doneRuns(), 1u);
  EXPECT_TRUE(tickets.isDoneSince(1, 0));
  EXPECT_FALSE(tickets.isDoneSince(1, 1));
}

/// Its client has come again, and the end of its old run is heard of late.
TEST(RunTickets, TheEndOfAnOldRunIsNotThatOfANewOne) {
  flatbuffers::FlatBufferBuilder builder;
  RunTickets tickets = ticketsOfTwo(builder);
  tickets.setRun(0, {7, 1});
  tickets.setRun(0, {8, 1});
  tickets.order()->requestRead(0, 0);
  tickets.forget(0, {7, 1}, /*isDone=*/true);
  EXPECT_EQ(tickets.runOf(0), (RunKey{8, 1}));
  EXPECT_EQ(tickets.doneRuns(), 0u);
  EXPECT_FALSE(tickets.isDoneSince(0, 0));
  EXPECT_EQ(tickets.order()->take().size(), 1u);
}

TEST(RunTickets, WorkersThatThereAreNotHaveNoRuns) {
  flatbuffers::FlatBufferBuilder builder;
  RunTickets tickets = ticketsOfTwo(builder);
  tickets.setRun(2, {7, 1});
  EXPECT_EQ(tickets.runOf(2), RunKey());
}

} // namespace
