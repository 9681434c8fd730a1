// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests data sources: passes, batches, shuffles, the end, and no allocation.
#include "runtime/data/DataSource.h"
#include "runtime/data/Npy.h"
#include "runtime/data/Prefetcher.h"
#include "runtime/data/TableSource.h"
#include "test/runtime/data/FileBytes.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>

namespace {
std::atomic<int64_t> allocations{0};
} // namespace

// Counts what the whole program allocates, on all threads; ThreadSanitizer lets
// nobody else define these. Not inlined: GCC would see new and free meet, and
// warn.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GRAPHC_TEST_CANNOT_COUNT
#endif
#endif
#ifndef GRAPHC_TEST_CANNOT_COUNT
[[gnu::noinline]] void *operator new(size_t size) {
  ++allocations;
  void *memory = std::malloc(size);
  if (!memory)
    std::abort();
  return memory;
}
[[gnu::noinline]] void operator delete(void *memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept {
  std::free(memory);
}
#endif

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

/// A dataset of the numbers 0 .. 99, with one field that repeats them.
class DataSourceTest : public testing::Test {
protected:
  DataSourceTest() {
    std::vector<int32_t> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::vector<float> pairs;
    for (int32_t number : numbers)
      pairs.insert(pairs.end(), {number * 1.0f, number * 2.0f});
    std::vector<NamedTensor> tensors = {
        {"number", tensorOf<int32_t>({100}, numbers)},
        {"pair", tensorOf<float>({100, 2}, pairs)}};
    file = directory / "x.npz";
    EXPECT_TRUE(saveNpz(file, tensors).isOk());
    spec.name = "numbers";
    spec.fields = {{"number", {DType::Int32, {}}},
                   {"pair", {DType::Float32, {2}}}};
    spec.batch = 10;
  }

  /// Opens the dataset, with a thread where spec.prefetch asks for it:
  /// openDataset() would find these batches too small.
  std::unique_ptr<DataSource> open(uint64_t runSeed = 0,
                                   const std::string &range = "") {
    auto source = TableSource::openTable(spec, file + range, runSeed);
    EXPECT_TRUE(source.isOk()) << source.status().toString();
    if (!source.isOk() || spec.prefetch == 0)
      return std::move(*source);
    size_t bytes[] = {4, 8};
    auto ahead = Prefetcher::start(std::move(*source), bytes,
                                   {static_cast<size_t>(spec.batch),
                                    static_cast<size_t>(spec.prefetch), 2});
    EXPECT_TRUE(ahead.isOk()) << ahead.status().toString();
    return std::move(*ahead);
  }

  /// The numbers of up to `batches` batches; checks that the fields agree.
  std::vector<int32_t> read(DataSource &source, int batches) {
    std::vector<int32_t> all, numbers(static_cast<size_t>(spec.batch));
    std::vector<float> pairs(2 * numbers.size());
    std::byte *fields[] = {reinterpret_cast<std::byte *>(numbers.data()),
                           reinterpret_cast<std::byte *>(pairs.data())};
    for (int i = 0; i < batches && source.next(fields).isOk(); ++i)
      for (size_t j = 0; j < numbers.size(); ++j) {
        EXPECT_EQ(pairs[2 * j], numbers[j] * 1.0f);
        EXPECT_EQ(pairs[2 * j + 1], numbers[j] * 2.0f);
        all.push_back(numbers[j]);
      }
    return all;
  }

  Status failure(DataSource &source) {
    std::vector<std::byte> buffer(1000);
    std::byte *fields[] = {buffer.data(), buffer.data() + 500};
    return source.next(fields);
  }

  TestDirectory directory;
  std::string file;
  DatasetSpec spec;
};

std::vector<int32_t> range(int32_t begin, int32_t end) {
  std::vector<int32_t> all(static_cast<size_t>(end - begin));
  std::iota(all.begin(), all.end(), begin);
  return all;
}

std::vector<int32_t> sorted(std::vector<int32_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

TEST_F(DataSourceTest, GivesOnePassInOrderAndEnds) {
  for (int64_t prefetch : {0, 1, 2, 1000}) {
    spec.prefetch = prefetch;
    auto source = open();
    EXPECT_EQ(source->examples(), 100);
    EXPECT_EQ(source->batchesPerEpoch(), 10);
    EXPECT_EQ(source->droppedPerEpoch(), 0);
    EXPECT_EQ(read(*source, 1000), range(0, 100));
    for (int i = 0; i < 3; ++i)
      expectFailure(failure(*source), StatusCode::OutOfRange,
                    {"dataset 'numbers' has no more batches: 1 x 10"});
  }
}

TEST_F(DataSourceTest, TellsWhetherABatchIsLeft) {
  spec.batch = 40;
  for (int64_t prefetch : {0, 3}) {
    spec.prefetch = prefetch;
    auto source = open();
    EXPECT_TRUE(source->ready().isOk());
    EXPECT_TRUE(source->ready().isOk());
    EXPECT_EQ(read(*source, 1), range(0, 40));
    EXPECT_TRUE(source->ready().isOk());
    EXPECT_EQ(read(*source, 1), range(40, 80));
    expectFailure(source->ready(), StatusCode::OutOfRange,
                  {"dataset 'numbers' has no more batches: 1 x 2"});
  }
}

TEST_F(DataSourceTest, DropsTheLastPartialBatchOfEachPass) {
  spec.batch = 30;
  spec.repeat = 2;
  auto source = open();
  EXPECT_EQ(source->batchesPerEpoch(), 3);
  EXPECT_EQ(source->droppedPerEpoch(), 10);
  std::vector<int32_t> twice = range(0, 90), again = range(0, 90);
  twice.insert(twice.end(), again.begin(), again.end());
  EXPECT_EQ(read(*source, 1000), twice);
  EXPECT_EQ(failure(*source).code(), StatusCode::OutOfRange);
}

TEST_F(DataSourceTest, RepeatsWithoutEnd) {
  spec.repeat = 0;
  auto source = open();
  EXPECT_EQ(read(*source, 1234).size(), 12340u);
}

TEST_F(DataSourceTest, ShufflesEachPassAnew) {
  spec.shuffleBuffer = 100;
  spec.repeat = 2;
  auto source = open();
  std::vector<int32_t> first = read(*source, 10), second = read(*source, 10);
  EXPECT_EQ(sorted(first), range(0, 100));
  EXPECT_EQ(sorted(second), range(0, 100));
  EXPECT_NE(first, range(0, 100));
  EXPECT_NE(first, second);
}

TEST_F(DataSourceTest, OrderDependsOnSeedsAlone) {
  spec.repeat = 3;
  for (int64_t buffer : {13, 100, 1000}) {
    spec.shuffleBuffer = buffer;
    spec.seed = 1;
    spec.prefetch = 2;
    std::vector<int32_t> order = read(*open(5), 30);
    EXPECT_EQ(read(*open(5), 30), order);
    spec.prefetch = 0;
    EXPECT_EQ(read(*open(5), 30), order);
    EXPECT_NE(read(*open(6), 30), order);
    spec.seed = 2;
    EXPECT_NE(read(*open(5), 30), order);
  }
}

TEST_F(DataSourceTest, ShufflesWithinTheRange) {
  spec.shuffleBuffer = 1000;
  auto source = open(0, "@20:60");
  EXPECT_EQ(source->examples(), 40);
  EXPECT_EQ(sorted(read(*source, 1000)), range(20, 60));
}

TEST_F(DataSourceTest, PassingOverBatchesIsReadingThem) {
  spec.repeat = 3;
  for (int64_t buffer : {0, 13, 100}) {
    spec.shuffleBuffer = buffer;
    spec.skip = 0;
    std::vector<int32_t> order = read(*open(5), 30);
    for (uint64_t skip : {1, 9, 10, 11, 20, 29, 30}) {
      spec.skip = skip;
      std::vector<int32_t> rest(order.begin() + 10 * static_cast<long>(skip),
                                order.end());
      EXPECT_EQ(read(*open(5), 30), rest) << buffer << " " << skip;
    }
  }
  spec.skip = 31;
  expectFailure(TableSource::open(spec, file, 5).status(),
                StatusCode::OutOfRange,
                {"'numbers' has fewer batches than the 31"});
  spec.repeat = 0;
  spec.skip = 1'000'000'000'003;
  spec.shuffleBuffer = 0;
  EXPECT_EQ(read(*open(), 7), range(30, 100));
}

TEST_F(DataSourceTest, RewindingIsOpeningAnew) {
  spec.repeat = 2;
  spec.shuffleBuffer = 30;
  for (int64_t prefetch : {0, 3}) {
    spec.prefetch = prefetch;
    auto source = open(5);
    std::vector<int32_t> order = read(*source, 20);
    ASSERT_EQ(order.size(), 200u);
    // At the end, after a part, at the beginning, and twice.
    for (uint64_t batches : {13, 0, 20, 1, 1}) {
      ASSERT_TRUE(source->rewind(batches).isOk());
      std::vector<int32_t> rest(order.begin() + 10 * static_cast<long>(batches),
                                order.end());
      EXPECT_EQ(read(*source, batches == 0 ? 7 : 30),
                batches == 0
                    ? std::vector<int32_t>(rest.begin(), rest.begin() + 70)
                    : rest)
          << prefetch << " " << batches;
    }
    expectFailure(source->rewind(21), StatusCode::OutOfRange,
                  {"'numbers' has fewer batches than the 21"});
    EXPECT_EQ(read(*source, 30), order);
  }
}

TEST_F(DataSourceTest, NextDoesNotAllocate) {
  spec.repeat = 0;
  spec.shuffleBuffer = 50;
  for (int64_t prefetch : {0, 3}) {
    spec.prefetch = prefetch;
    auto source = open();
    std::vector<std::byte> buffer(1000);
    std::byte *fields[] = {buffer.data(), buffer.data() + 500};
    ASSERT_TRUE(source->next(fields).isOk());
    int64_t before = allocations;
#ifdef GRAPHC_TEST_CANNOT_COUNT
    GTEST_SKIP() << "ThreadSanitizer allocates for everybody";
#else
    ASSERT_GT(before, 0);
#endif
    for (int i = 0; i < 1000; ++i)
      if (!source->next(fields).isOk())
        FAIL();
    EXPECT_EQ(allocations, before);
  }
}

TEST_F(DataSourceTest, OpensDatasetsOfSmallAndLargeBatches) {
  constexpr size_t kRow = 1 << 20;
  std::vector<uint8_t> rows(10 * kRow);
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<uint8_t>(i / kRow);
  ASSERT_TRUE(saveNpy(directory / "rows.npy",
                      tensorOf<uint8_t>({10, kRow}, std::move(rows)))
                  .isOk());
  spec.fields = {{"row", {DType::UInt8, {kRow}}}};
  for (int64_t batch : {1, 5}) {
    spec.batch = batch;
    auto source = openDataset(spec, directory / "rows.npy", 0);
    ASSERT_TRUE(source.isOk()) << source.status().toString();
    bool threaded = dynamic_cast<Prefetcher *>(source->get()) != nullptr;
    EXPECT_EQ(threaded, batch == 5);
    std::vector<std::byte> buffer(static_cast<size_t>(batch) * kRow);
    std::byte *fields[] = {buffer.data()};
    for (size_t row = 0; row < 10; row += static_cast<size_t>(batch)) {
      ASSERT_TRUE((*source)->next(fields).isOk());
      for (size_t i = 0; i < buffer.size(); i += kRow / 2)
        EXPECT_EQ(std::to_integer<size_t>(buffer[i]), row + i / kRow);
    }
    EXPECT_EQ((*source)->next(fields).code(), StatusCode::OutOfRange);
  }
}

TEST_F(DataSourceTest, RefusesSpecsThatMakeNoSense) {
  auto error = [&](auto change) {
    DatasetSpec broken = spec;
    change(broken);
    return openDataset(broken, file, 0).status();
  };
  for (const Status &status :
       {error([](DatasetSpec &s) { s.batch = 0; }),
        error([](DatasetSpec &s) { s.repeat = -1; }),
        error([](DatasetSpec &s) { s.shuffleBuffer = -1; }),
        error([](DatasetSpec &s) { s.prefetch = -1; }),
        error([](DatasetSpec &s) { s.fields.clear(); }),
        error([](DatasetSpec &s) { s.fields[0].type.dtype = DType::String; }),
        error([](DatasetSpec &s) { s.fields[0].type.shape = {-1}; })})
    expectFailure(status, StatusCode::InvalidArgument, {"dataset 'numbers' "});
}

} // namespace
