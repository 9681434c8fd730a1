// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of batches, put together, are the batches of the undivided source.
#include "runtime/data/ShardedSource.h"
#include "runtime/data/Npy.h"
#include "test/runtime/data/FileBytes.h"

#include <numeric>
#include <thread>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

/// A dataset of the numbers 0 .. 99 in batches of 12.
class ShardedSourceTest : public testing::Test {
protected:
  ShardedSourceTest() {
    std::vector<int32_t> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 0);
    file = directory / "x.npy";
    EXPECT_TRUE(saveNpy(file, tensorOf<int32_t>({100}, numbers)).isOk());
    spec.name = "numbers";
    spec.fields = {{"number", {DType::Int32, {}}}};
    spec.batch = 12;
    spec.shuffleBuffer = 30;
    spec.seed = 7;
    spec.repeat = 3;
  }

  std::unique_ptr<ShardedSource> open() {
    auto source = ShardedSource::open(spec, file, 5);
    EXPECT_TRUE(source.isOk()) << source.status().toString();
    return std::move(*source);
  }

  /// The numbers of one part, or none at the end.
  static std::vector<int32_t> part(ShardedSource &source, BatchPart part) {
    std::vector<int32_t> rows(12 / part.shards);
    std::byte *fields[] = {reinterpret_cast<std::byte *>(rows.data())};
    Status status = source.nextPart(part, fields);
    if (status.isOk())
      return rows;
    EXPECT_EQ(status.code(), StatusCode::OutOfRange);
    return {};
  }

  /// All batches of the undivided source.
  std::vector<std::vector<int32_t>> undivided() {
    auto source = openDataset(spec, file, 5);
    EXPECT_TRUE(source.isOk());
    std::vector<std::vector<int32_t>> batches;
    std::vector<int32_t> rows(12);
    std::byte *fields[] = {reinterpret_cast<std::byte *>(rows.data())};
    while ((*source)->next(fields).isOk())
      batches.push_back(rows);
    return batches;
  }

  TestDirectory directory;
  std::string file;
  DatasetSpec spec;
};

void append(std::vector<int32_t> &to, const std::vector<int32_t> &more) {
  to.insert(to.end(), more.begin(), more.end());
}

TEST_F(ShardedSourceTest, PartsAreThoseOfTheUndividedBatches) {
  std::vector<std::vector<int32_t>> expected = undivided();
  ASSERT_EQ(expected.size(), 24u);
  for (uint32_t shards : {1, 2, 3, 4, 12}) {
    auto source = open();
    for (const std::vector<int32_t> &batch : expected) {
      std::vector<int32_t> rows;
      for (uint32_t shard = 0; shard < shards; ++shard)
        append(rows, part(*source, {shard, shards}));
      EXPECT_EQ(rows, batch);
    }
    EXPECT_EQ(source->ready().code(), StatusCode::OutOfRange);
    for (uint32_t shard = 0; shard < shards; ++shard)
      EXPECT_TRUE(part(*source, {shard, shards}).empty());
  }
}

TEST_F(ShardedSourceTest, APartMayBeAheadOfOthers) {
  std::vector<std::vector<int32_t>> expected = undivided();
  auto source = open();
  std::vector<int32_t> first, second;
  for (int i = 0; i < 3; ++i)
    append(first, part(*source, {1, 2}));
  for (int i = 0; i < 3; ++i)
    append(second, part(*source, {0, 2}));
  for (size_t i = 0; i < 3; ++i)
    for (size_t row = 0; row < 6; ++row) {
      EXPECT_EQ(second[6 * i + row], expected[i][row]);
      EXPECT_EQ(first[6 * i + row], expected[i][6 + row]);
    }
}

TEST_F(ShardedSourceTest, AllPartsGoOnWithOneBatchAfterAFailedStep) {
  std::vector<std::vector<int32_t>> expected = undivided();
  auto source = open();
  EXPECT_TRUE(source->ready().isOk());
  source->dropRests(); // nothing of it was taken
  part(*source, {0, 2});
  source->dropRests();
  std::vector<int32_t> rows = part(*source, {0, 2});
  append(rows, part(*source, {1, 2}));
  EXPECT_EQ(rows, expected[1]);
}

TEST_F(ShardedSourceTest, RewindsAllParts) {
  std::vector<std::vector<int32_t>> expected = undivided();
  auto source = open();
  part(*source, {0, 2});
  part(*source, {0, 2});
  part(*source, {1, 2});
  for (uint64_t batches : {0, 5}) {
    ASSERT_TRUE(source->rewind(batches).isOk());
    std::vector<int32_t> rows = part(*source, {0, 2});
    append(rows, part(*source, {1, 2}));
    EXPECT_EQ(rows, expected[batches]);
  }
}

TEST_F(ShardedSourceTest, PartsMayBeTakenAtTheSameTime) {
  std::vector<std::vector<int32_t>> expected = undivided();
  auto source = open();
  std::vector<std::vector<int32_t>> parts(4);
  std::vector<std::thread> threads;
  for (uint32_t shard = 0; shard < 4; ++shard)
    threads.emplace_back([&, shard] {
      for (size_t i = 0; i < expected.size(); ++i)
        append(parts[shard], part(*source, {shard, 4}));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < expected.size(); ++i)
    for (size_t row = 0; row < 12; ++row)
      EXPECT_EQ(parts[row / 3][3 * i + row % 3], expected[i][row]);
}

TEST_F(ShardedSourceTest, FailuresAreThoseOfTheFiles) {
  auto source = ShardedSource::open(spec, directory / "none.npy", 0);
  expectFailure(source.status(), StatusCode::NotFound, {"none.npy"});
}

} // namespace
