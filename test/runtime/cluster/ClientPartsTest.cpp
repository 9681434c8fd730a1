// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first cause of a failure, pieces of values, and failures as messages.
#include "runtime/cluster/FirstCause.h"
#include "runtime/cluster/Pieces.h"
#include "runtime/cluster/TaskFailure.h"

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

TEST(Pieces, CutAndPutTogether) {
  for (size_t size :
       {size_t(0), size_t(1), kMostPieceBytes, 2 * kMostPieceBytes + 7}) {
    std::vector<std::byte> bytes(size);
    for (size_t i = 0; i < size; ++i)
      bytes[i] = std::byte(i * 31 >> 3);
    PieceBuffer buffer;
    size_t count = 0;
    cutIntoPieces("v", nullptr, bytes, [&](protocol::Piece piece, bool isLast) {
      EXPECT_FALSE(buffer.isComplete());
      EXPECT_TRUE(buffer.add(piece, size).isOk());
      EXPECT_EQ(buffer.isComplete(), isLast);
      ++count;
    });
    EXPECT_EQ(count, std::max<size_t>(1, (size + kMostPieceBytes - 1) /
                                             kMostPieceBytes));
    EXPECT_EQ(buffer.take(), bytes);
  }
}

TEST(Pieces, GapsOverlapsAndSizesAreRefused) {
  auto piece = [](uint64_t offset, uint64_t total, size_t size) {
    protocol::Piece piece;
    piece.set_name("v");
    piece.set_offset(offset);
    piece.set_total(total);
    piece.set_data(std::string(size, 'x'));
    return piece;
  };
  auto add = [&](std::vector<protocol::Piece> pieces, uint64_t most) {
    PieceBuffer buffer;
    Status status;
    for (const protocol::Piece &each : pieces)
      if (status.isOk())
        status = buffer.add(each, most);
    return status.code();
  };
  EXPECT_EQ(add({piece(0, 8, 4), piece(4, 8, 4)}, 8), StatusCode::Ok);
  EXPECT_EQ(add({piece(0, 9, 4)}, 8), StatusCode::ResourceExhausted);
  EXPECT_EQ(add({piece(4, 8, 4)}, 8), StatusCode::InvalidArgument);
  EXPECT_EQ(add({piece(0, 8, 4), piece(2, 8, 4)}, 8),
            StatusCode::InvalidArgument);
  EXPECT_EQ(add({piece(0, 8, 4), piece(5, 8, 3)}, 8),
            StatusCode::InvalidArgument);
  EXPECT_EQ(add({piece(0, 8, 4), piece(4, 7, 3)}, 8),
            StatusCode::InvalidArgument);
  EXPECT_EQ(add({piece(0, 8, 9)}, 8), StatusCode::InvalidArgument);
  EXPECT_EQ(add({piece(0, 8, 0)}, 8), StatusCode::InvalidArgument);
  EXPECT_EQ(add({piece(UINT64_MAX, 8, 4)}, 8), StatusCode::InvalidArgument);
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
