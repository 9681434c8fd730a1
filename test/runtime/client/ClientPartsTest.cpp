// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first cause of a failure, chunks of values, and failures as messages.
#include "runtime/client/FirstCause.h"
#include "runtime/protocol/Chunks.h"
#include "runtime/protocol/TaskFailure.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;

namespace {

protocol::Failure failure(StatusCode code, const std::string &message,
                          const std::string &task) {
  return toFailure(Status(code, message), task);
}

TEST(FirstCause, ATaskThatFailsByItselfWins) {
  FirstCause cause;
  cause.add("/job:ps/task:0",
            failure(StatusCode::Unavailable, "lost /job:worker/task:1: killed",
                    "/job:ps/task:0"));
  EXPECT_FALSE(cause.isCertain());
  cause.add("/job:worker/task:0",
            failure(StatusCode::Cancelled, "ended", "/job:worker/task:0"));
  cause.add("/job:worker/task:1", failure(StatusCode::FailedPrecondition, "NaN",
                                          "/job:worker/task:1"));
  EXPECT_TRUE(cause.isCertain());
  EXPECT_EQ(cause.choose().message(), "NaN");
}

TEST(FirstCause, OfLostTasksTheOneThatMostName) {
  FirstCause cause;
  const std::string ps = "/job:ps/task:0", one = "/job:worker/task:1";
  cause.add(one, failure(StatusCode::Unavailable, "lost " + ps + ": why", one));
  cause.add(ps, failure(StatusCode::Unavailable, "lost " + one + ": why", ps));
  cause.add("/job:worker/task:0",
            failure(StatusCode::Unavailable, "lost " + one + ": other",
                    "/job:worker/task:0"));
  cause.add(ps, failure(StatusCode::DeadlineExceeded, "no progress", ps));
  EXPECT_EQ(cause.choose().message(), "lost " + one + ": why");
  EXPECT_EQ(cause.choose().task(), ps);
  protocol::Failure better =
      failure(StatusCode::Unavailable, "lost " + one + ": why; step 3", ps);
  better.set_step(3);
  cause.add(ps, better);
  EXPECT_EQ(cause.choose().step(), 3u);
}

/// The first of two reports is worse than the second, and certain or not.
TEST(FirstCause, ReportsHaveARank) {
  const std::string ps = "/job:ps/task:0", one = "/job:worker/task:1";
  struct Said {
    protocol::Failure failure;
    bool isCertain;
  };
  Said byRank[] = {
      {failure(StatusCode::Aborted, "over", ps), false},
      {failure(StatusCode::DeadlineExceeded, "no progress", ps), false},
      {failure(StatusCode::Unavailable, "lost " + one + ": why", ps), false},
      {failure(StatusCode::Internal, "heard of", one), false},
      {failure(StatusCode::Internal, "its own", ps), true}};
  for (size_t worse = 0; worse < std::size(byRank); ++worse) {
    FirstCause alone;
    EXPECT_TRUE(alone.isEmpty());
    alone.add(ps, byRank[worse].failure);
    EXPECT_FALSE(alone.isEmpty());
    EXPECT_EQ(alone.isCertain(), byRank[worse].isCertain);
    EXPECT_EQ(alone.choose().message(), byRank[worse].failure.message());
    for (size_t better = worse + 1; better < std::size(byRank); ++better)
      for (bool isFirst : {false, true}) {
        FirstCause both;
        both.add(ps, byRank[isFirst ? better : worse].failure);
        both.add(ps, byRank[isFirst ? worse : better].failure);
        EXPECT_EQ(both.choose().message(), byRank[better].failure.message());
      }
  }
  // What is cancelled is no cause beside what is slow; of equals, the first.
  FirstCause equals;
  equals.add(ps, failure(StatusCode::Cancelled, "first", ps));
  equals.add(ps, failure(StatusCode::Aborted, "second", ps));
  EXPECT_EQ(equals.choose().message(), "first");
  // A lost task without a reason is one all the same.
  FirstCause bare;
  bare.add(ps, failure(StatusCode::Unavailable, "lost " + one, ps));
  bare.add(one, failure(StatusCode::Unavailable, "lost " + ps + ": why", one));
  bare.add(ps, failure(StatusCode::Unavailable, "lost " + one + ": x", ps));
  EXPECT_EQ(bare.choose().message(), "lost " + one);
}

TEST(Chunks, CutAndPutTogether) {
  for (size_t size :
       {size_t(0), size_t(1), kMaxChunkBytes, 2 * kMaxChunkBytes + 7}) {
    std::vector<std::byte> bytes(size);
    for (size_t i = 0; i < size; ++i)
      bytes[i] = std::byte(i * 31 >> 3);
    ChunkBuffer buffer;
    size_t count = 0;
    splitIntoChunks("v", nullptr, bytes,
                    [&](protocol::Chunk chunk, bool isLast) {
                      EXPECT_FALSE(buffer.isComplete());
                      EXPECT_TRUE(buffer.add(chunk, size).isOk());
                      EXPECT_EQ(buffer.isComplete(), isLast);
                      ++count;
                    });
    EXPECT_EQ(count, std::max<size_t>(1, (size + kMaxChunkBytes - 1) /
                                             kMaxChunkBytes));
    EXPECT_EQ(buffer.take(), bytes);
  }
}

TEST(Chunks, GapsOverlapsAndSizesAreRefused) {
  auto chunk = [](uint64_t offset, uint64_t total, size_t size) {
    protocol::Chunk chunk;
    chunk.set_name("v");
    chunk.set_offset(offset);
    chunk.set_total(total);
    chunk.set_data(std::string(size, 'x'));
    return chunk;
  };
  auto add = [&](std::vector<protocol::Chunk> chunks, uint64_t most) {
    ChunkBuffer buffer;
    Status status;
    for (const protocol::Chunk &each : chunks)
      if (status.isOk())
        status = buffer.add(each, most);
    return status.code();
  };
  EXPECT_EQ(add({chunk(0, 8, 4), chunk(4, 8, 4)}, 8), StatusCode::Ok);
  EXPECT_EQ(add({chunk(0, 9, 4)}, 8), StatusCode::ResourceExhausted);
  EXPECT_EQ(add({chunk(4, 8, 4)}, 8), StatusCode::InvalidArgument);
  EXPECT_EQ(add({chunk(0, 8, 4), chunk(2, 8, 4)}, 8),
            StatusCode::InvalidArgument);
  EXPECT_EQ(add({chunk(0, 8, 4), chunk(5, 8, 3)}, 8),
            StatusCode::InvalidArgument);
  EXPECT_EQ(add({chunk(0, 8, 4), chunk(4, 7, 3)}, 8),
            StatusCode::InvalidArgument);
  EXPECT_EQ(add({chunk(0, 8, 9)}, 8), StatusCode::InvalidArgument);
  EXPECT_EQ(add({chunk(0, 8, 0)}, 8), StatusCode::InvalidArgument);
  EXPECT_EQ(add({chunk(UINT64_MAX, 8, 4)}, 8), StatusCode::InvalidArgument);
}

TEST(Chunks, AreOfAMebibyteAtMost) {
  auto chunk = [](uint64_t offset, uint64_t total, size_t size) {
    protocol::Chunk chunk;
    chunk.set_offset(offset);
    chunk.set_total(total);
    chunk.set_data(std::string(size, 'x'));
    return chunk;
  };
  for (size_t more : {0, 1}) {
    ChunkBuffer buffer;
    Status status = buffer.add(chunk(0, 4 << 20, (1 << 20) + more), 4 << 20);
    EXPECT_EQ(status.isOk(), more == 0);
    EXPECT_EQ(buffer.size(), more == 0 ? 1u << 20 : 0u);
    EXPECT_FALSE(buffer.isComplete());
  }
  // Nothing may follow what is complete but what is empty and so was before.
  ChunkBuffer full, empty;
  EXPECT_FALSE(empty.isComplete());
  EXPECT_TRUE(empty.add(chunk(0, 0, 0), 0).isOk());
  EXPECT_TRUE(empty.isComplete());
  EXPECT_TRUE(full.add(chunk(0, 4, 4), 4).isOk());
  EXPECT_FALSE(full.add(chunk(4, 4, 1), 4).isOk());
  EXPECT_FALSE(full.add(chunk(4, 4, 0), 4).isOk());
}

TEST(Chunks, StateTheirTypeAndPlace) {
  TensorType type{DType::Float32, {2, 3}};
  std::vector<std::byte> bytes(24, std::byte('x'));
  splitIntoChunks("v", &type, bytes, [&](protocol::Chunk chunk, bool isLast) {
    EXPECT_EQ(chunk.name(), "v");
    EXPECT_EQ(chunk.offset(), 0u);
    EXPECT_EQ(chunk.total(), 24u);
    EXPECT_TRUE(isLast);
    EXPECT_EQ(*typeOf(chunk), type);
    chunk.set_dtype(static_cast<uint32_t>(kLastDType));
    EXPECT_TRUE(typeOf(chunk).isOk());
    chunk.set_dtype(static_cast<uint32_t>(kLastDType) + 1);
    EXPECT_FALSE(typeOf(chunk).isOk());
    chunk.set_dtype(static_cast<uint32_t>(DType::Int32));
    while (chunk.shape_size() < 32)
      chunk.add_shape(1);
    EXPECT_TRUE(typeOf(chunk).isOk());
    chunk.add_shape(1);
    EXPECT_FALSE(typeOf(chunk).isOk());
    chunk.mutable_shape()->Clear();
    chunk.add_shape(-1);
    EXPECT_FALSE(typeOf(chunk).isOk());
  });
}

TEST(TaskFailure, IsCleanedAndCutAtItsBounds) {
  protocol::Failure failure;
  failure.set_code(static_cast<int>(StatusCode::DataLoss));
  failure.set_task("/job:ps/task:0");
  failure.set_edge("e\r");
  failure.set_step(4);
  failure.set_message(std::string(8192, 'm') + "n");
  EXPECT_EQ(boundedFailure(failure).message(), std::string(8192, 'm'));
  EXPECT_EQ(boundedFailure(failure).edge(), "e ");
  EXPECT_EQ(boundedFailure(failure).step(), 4u);
  EXPECT_EQ(boundedFailure(failure).code(), failure.code());
  failure.set_message(std::string("a\nb\tc\x7f") + " \x1f" + "d");
  EXPECT_EQ(boundedFailure(failure).message(), "a\nb c   d");
  EXPECT_EQ(toStatus(failure).message(), "/job:ps/task:0: a\nb c   d");
  failure.set_task("");
  EXPECT_EQ(toStatus(failure).message(), "a\nb c   d");
  EXPECT_EQ(toStatus(failure).code(), StatusCode::DataLoss);
  failure.set_code(0);
  EXPECT_EQ(toStatus(failure).code(), StatusCode::Unknown);
}

TEST(TaskFailure, WhatAPeerSaysIsBoundedAndHarmless) {
  protocol::Failure failure;
  failure.set_code(4711);
  std::string text = "\x1b[2J";
  while (text.size() < 100'000)
    text += "\xc3\xa9";
  failure.set_message(text);
  failure.set_task(std::string(10'000, 't'));
  protocol::Failure bounded = boundedFailure(failure);
  EXPECT_EQ(bounded.code(), static_cast<int>(StatusCode::Unknown));
  EXPECT_LE(bounded.message().size(), 8192u);
  EXPECT_EQ(bounded.message().substr(0, 4), " [2J");
  EXPECT_EQ(bounded.message().substr(bounded.message().size() - 2), "\xc3\xa9");
  EXPECT_LE(bounded.task().size(), 512u);
  EXPECT_TRUE(protocol::Failure().ParseFromString(bounded.SerializeAsString()));
  EXPECT_EQ(toStatus(failure).code(), StatusCode::Unknown);
}

} // namespace
