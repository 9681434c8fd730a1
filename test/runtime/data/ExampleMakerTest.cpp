// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Datasets with transforms, masks and caches: the same examples for any number
// of threads, parts of batches and after a restart.
#include "runtime/data/Npy.h"
#include "runtime/data/ShardedSource.h"
#include "runtime/data/pipeline/CachedRows.h"
#include "test/runtime/data/FileBytes.h"

#include <numeric>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

constexpr size_t kPixels = 6 * 6;

/// 50 images of bytes with their numbers.
class ExampleMakerTest : public testing::Test {
protected:
  ExampleMakerTest() {
    std::vector<uint8_t> pixels(50 * 8 * 8);
    for (size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = static_cast<uint8_t>(i * 7 % 251);
    std::vector<int32_t> numbers(50);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::vector<NamedTensor> tensors = {
        {"image", tensorOf<uint8_t>({50, 8, 8}, pixels)},
        {"number", tensorOf<int32_t>({50}, numbers)}};
    file = directory / "x.npz";
    EXPECT_TRUE(saveNpz(file, tensors).isOk());
    spec.name = "images";
    spec.fields = {{"image", {DType::Float32, {6, 6}}},
                   {"number", {DType::Int32, {}}},
                   {"valid", {DType::Float32, {}}}};
    spec.batch = 16;
    spec.shuffleBuffer = 20;
    spec.seed = 3;
    spec.repeat = 3;
    spec.mask = 2;
    spec.transforms = {{"random_flip_left_right", 0, {}},
                       {"random_crop", 0, {1, 8, 8}},
                       {"random_brightness", 0, {0.2}},
                       {"convert_image_dtype", 0, {}},
                       {"random_contrast", 0, {0.5, 1.5}},
                       {"per_image_standardization", 0, {}}};
  }

  struct Batch {
    std::vector<float> images, valid;
    std::vector<int32_t> numbers;
    bool operator==(const Batch &) const = default;
  };

  std::unique_ptr<DataSource> open(size_t threads) {
    auto source = TableSource::openTable(spec, file, 9);
    EXPECT_TRUE(source.isOk()) << source.status().toString();
    if (threads == 0)
      return std::move(*source);
    std::vector<size_t> bytes((*source)->exampleBytes().begin(),
                              (*source)->exampleBytes().end());
    auto ahead = Prefetcher::start(std::move(*source), bytes, {16, 3, threads});
    EXPECT_TRUE(ahead.isOk());
    return std::move(*ahead);
  }

  static std::vector<Batch> read(DataSource &source) {
    std::vector<Batch> batches;
    for (;;) {
      Batch batch{std::vector<float>(16 * kPixels, -9), std::vector<float>(16),
                  std::vector<int32_t>(16)};
      std::byte *fields[] = {
          reinterpret_cast<std::byte *>(batch.images.data()),
          reinterpret_cast<std::byte *>(batch.numbers.data()),
          reinterpret_cast<std::byte *>(batch.valid.data())};
      if (!source.next(fields).isOk())
        return batches;
      batches.push_back(std::move(batch));
    }
  }

  TestDirectory directory;
  std::string file;
  DatasetSpec spec;
};

TEST_F(ExampleMakerTest, FillsUpTheLastBatchOfAPassAndMasksIt) {
  auto source = open(0);
  EXPECT_EQ(source->batchesPerEpoch(), 4);
  EXPECT_EQ(source->droppedPerEpoch(), 0);
  std::vector<Batch> batches = read(*source);
  ASSERT_EQ(batches.size(), 12u);
  std::vector<int> seen(50);
  for (size_t b = 0; b < batches.size(); ++b)
    for (size_t i = 0; i < 16; ++i) {
      bool isValid = b % 4 < 3 || i < 2;
      EXPECT_EQ(batches[b].valid[i], isValid ? 1.0f : 0.0f);
      if (isValid) {
        ++seen[static_cast<size_t>(batches[b].numbers[i])];
        continue;
      }
      EXPECT_EQ(batches[b].numbers[i], 0);
      for (size_t p = 0; p < kPixels; ++p)
        EXPECT_EQ(batches[b].images[i * kPixels + p], 0.0f);
    }
  EXPECT_EQ(seen, std::vector<int>(50, 3));
}

TEST_F(ExampleMakerTest, MasksOfBoolsAndNoTransforms) {
  spec.transforms.clear();
  spec.fields[0].type = {DType::UInt8, {8, 8}};
  spec.fields[2].type.dtype = DType::Bool;
  auto source = open(2);
  std::vector<std::byte> image(16 * 64), number(64), valid(16);
  std::byte *fields[] = {image.data(), number.data(), valid.data()};
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(source->next(fields).isOk());
  for (size_t i = 0; i < 16; ++i)
    EXPECT_EQ(valid[i], static_cast<std::byte>(i < 2));
}

TEST_F(ExampleMakerTest, ExamplesDoNotDependOnThreads) {
  std::vector<Batch> expected = read(*open(0));
  for (size_t threads : {1, 2, 5})
    EXPECT_EQ(read(*open(threads)), expected) << threads << " threads";
  // Each pass changes them otherwise.
  EXPECT_NE(expected[0].images, expected[4].images);
}

TEST_F(ExampleMakerTest, ExamplesAreTheSameAfterARestart) {
  std::vector<Batch> expected = read(*open(0));
  for (uint64_t skip : {1, 3, 4, 7, 11}) {
    spec.skip = skip;
    std::vector<Batch> rest(expected.begin() + static_cast<ptrdiff_t>(skip),
                            expected.end());
    EXPECT_EQ(read(*open(2)), rest) << skip << " batches passed over";
  }
}

TEST_F(ExampleMakerTest, PartsAreThoseOfTheBatches) {
  std::vector<Batch> expected = read(*open(0));
  auto source = ShardedSource::open(spec, file, 9);
  ASSERT_TRUE(source.isOk());
  for (const Batch &batch : expected) {
    Batch parts{std::vector<float>(16 * kPixels), std::vector<float>(16),
                std::vector<int32_t>(16)};
    for (uint32_t shard : {1u, 0u}) {
      size_t at = 8 * shard;
      std::byte *fields[] = {
          reinterpret_cast<std::byte *>(&parts.images[at * kPixels]),
          reinterpret_cast<std::byte *>(&parts.numbers[at]),
          reinterpret_cast<std::byte *>(&parts.valid[at])};
      ASSERT_TRUE((*source)->nextPart({shard, 2}, fields).isOk());
    }
    EXPECT_EQ(parts, batch);
  }
}

TEST_F(ExampleMakerTest, ABatchMayBeLargerThanTheFile) {
  file += "@0:5";
  auto source = open(0);
  EXPECT_EQ(source->batchesPerEpoch(), 1);
  EXPECT_EQ(read(*source).size(), 3u);
}

TEST_F(ExampleMakerTest, RefusesWhatFilesCannotHold) {
  spec.transforms[1].field = 2;
  expectFailure(TableSource::openTable(spec, file, 9).status(),
                StatusCode::InvalidArgument,
                {"'random_crop' of a field that no file has"});
  spec.transforms.resize(1);
  expectFailure(TableSource::openTable(spec, file, 9).status(),
                StatusCode::InvalidArgument,
                {"field 'image' is declared float32[6,6]"});
  spec.mask = 1;
  expectFailure(TableSource::openTable(spec, file, 9).status(),
                StatusCode::InvalidArgument, {"a mask that is no scalar"});
}

/// Rows of their numbers that count how often they are read.
class CountedRows final : public ExampleRows {
public:
  explicit CountedRows(std::vector<int> &reads) : reads(reads) {}
  int64_t rows() const override { return 20; }
  int64_t rowNanos() const override { return 1000; }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> fields) const override {
    for (size_t i = 0; i < rows.size(); ++i) {
      ++reads[static_cast<size_t>(rows[i])];
      std::memcpy(fields[0] + i * sizeof(int64_t), &rows[i], sizeof(int64_t));
    }
    return Status::ok();
  }

private:
  std::vector<int> &reads;
};

TEST(CachedRows, ReadsWhatItKeepsOnce) {
  std::vector<int> reads(20);
  auto cached = CachedRows::wrap(std::make_unique<CountedRows>(reads),
                                 {sizeof(int64_t)}, 12 * sizeof(int64_t) + 3);
  ASSERT_TRUE(cached.isOk());
  std::vector<int64_t> rows = {19, 3, 11, 12, 0}, got(5);
  std::byte *fields[] = {reinterpret_cast<std::byte *>(got.data())};
  for (int i = 0; i < 3; ++i) {
    got.assign(5, -1);
    ASSERT_TRUE((*cached)->gather(rows, fields).isOk());
    EXPECT_EQ(got, rows);
  }
  EXPECT_EQ(reads[0], 1);
  EXPECT_EQ(reads[11], 1);
  EXPECT_EQ(reads[12], 3); // beyond the limit
  EXPECT_EQ(reads[19], 3);
}

} // namespace
