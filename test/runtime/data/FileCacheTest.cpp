// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are kept in a file: made once, whole or not at all, and of the data
// that they are asked for.
#include "runtime/data/pipeline/FileCache.h"
#include "runtime/data/Npy.h"
#include "runtime/data/TableSource.h"
#include "test/runtime/data/FileBytes.h"

#include <numeric>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

/// 100 rows of a number and two floats.
class Numbers final : public ExampleRows {
public:
  explicit Numbers(int64_t broken = -1) : broken(broken) {}
  int64_t rows() const override { return 100; }
  std::vector<int64_t> fileEnds() const override { return {40, 100}; }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> fields) const override {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] == broken)
        return dataLoss("row " + std::to_string(broken) + " is broken");
      auto number = static_cast<int32_t>(rows[i]);
      float pair[] = {number * 1.0f, number * 2.0f};
      std::memcpy(fields[0] + i * sizeof(number), &number, sizeof(number));
      std::memcpy(fields[1] + i * sizeof(pair), pair, sizeof(pair));
    }
    return Status::ok();
  }

private:
  int64_t broken;
};

class FileCacheTest : public testing::Test {
protected:
  FileCacheTest() {
    spec.name = "numbers";
    spec.fields = {{"number", {DType::Int32, {}}},
                   {"pair", {DType::Float32, {2}}}};
    files.paths = {directory.write("source", std::string_view("1234"))};
    path = directory / "cache";
  }

  StatusOr<std::unique_ptr<ExampleRows>> open(int64_t broken = -1) {
    return openFileCache(
        path, spec, files, [&]() -> StatusOr<std::unique_ptr<ExampleRows>> {
          ++opened;
          return std::unique_ptr<ExampleRows>(new Numbers(broken));
        });
  }

  static Status readAll(const ExampleRows &rows) {
    for (int64_t row : {0, 99, 40, 41, 7}) {
      int32_t number = -1;
      float pair[2];
      std::byte *fields[] = {reinterpret_cast<std::byte *>(&number),
                             reinterpret_cast<std::byte *>(pair)};
      GRAPHC_TRY(rows.gather(std::span(&row, 1), fields));
      EXPECT_EQ(number, row);
      EXPECT_EQ(pair[1], row * 2.0f);
    }
    return Status::ok();
  }

  TestDirectory directory;
  DatasetSpec spec;
  DatasetFiles files;
  std::string path;
  int opened = 0;
};

TEST_F(FileCacheTest, IsMadeOnceAndReadAgain) {
  for (int times = 0; times < 3; ++times) {
    auto rows = open();
    ASSERT_TRUE(rows.isOk()) << rows.status().toString();
    EXPECT_EQ((*rows)->rows(), 100);
    EXPECT_EQ((*rows)->fileEnds(), (std::vector<int64_t>{40, 100}));
    EXPECT_TRUE(readAll(**rows).isOk());
  }
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(directory.names().size(), 2u);
  Bytes first = directory.read("cache");
  std::filesystem::remove(path);
  ASSERT_TRUE(open().isOk());
  EXPECT_EQ(directory.read("cache"), first);
}

TEST_F(FileCacheTest, IsNotThereBeforeItIsWhole) {
  expectFailure(open(63).status(), StatusCode::DataLoss, {"row 63"});
  EXPECT_EQ(directory.names(), std::vector<std::string>{"source"});
  path = directory / "none/cache";
  expectFailure(open().status(), StatusCode::NotFound,
                {"cannot write", "none/cache"});
}

TEST_F(FileCacheTest, IsRefusedForOtherData) {
  ASSERT_TRUE(open().isOk());
  auto refused = [&](std::initializer_list<const char *> parts) {
    expectFailure(open().status(), StatusCode::FailedPrecondition, parts);
    expectFailure(open().status(), StatusCode::FailedPrecondition,
                  {"of other data", "remove it"});
  };
  DatasetSpec before = spec;
  spec.fields[1].type.shape = {1, 2};
  refused({"'field pair: float32[2]'", "'field pair: float32[1,2]'"});
  spec.fields.pop_back();
  refused({"'field pair: float32[2]'", "'file source"});
  spec = before;
  files.keys["number"] = "other";
  refused({"'option number=other'"});
  files.keys.clear();
  files.paths.push_back(files.paths[0]);
  refused({"'nothing more'"});
  files.paths.pop_back();
  auto changed = std::filesystem::last_write_time(files.paths[0]);
  std::filesystem::last_write_time(files.paths[0],
                                   changed + std::chrono::nanoseconds(4000));
  refused({"source of 4 bytes, changed at"});
  std::filesystem::last_write_time(files.paths[0], changed);
  EXPECT_TRUE(open().isOk());
  path = files.paths[0];
  directory.write("source", std::string_view("these are no rows of a cache, but"
                                             " other bytes"));
  expectFailure(open().status(), StatusCode::FailedPrecondition,
                {"is no cache of data"});
  EXPECT_EQ(opened, 1);
}

TEST_F(FileCacheTest, DamageIsSeen) {
  ASSERT_TRUE(open().isOk());
  Bytes whole = directory.read("cache");
  cutEverywhere(whole, [&](const Bytes &bytes) {
    directory.write("cache", bytes);
    expectFailure(open().status(), StatusCode::DataLoss, {"cut", "remove it"});
  });
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  directory.write("cache", longer);
  expectFailure(open().status(), StatusCode::DataLoss, {"was cut"});
  flipAtRandom(whole, 300, [&](const Bytes &bytes) {
    directory.write("cache", bytes);
    auto rows = open();
    for (int64_t row = 0; rows.isOk() && row < 100; ++row) {
      int32_t number = 0;
      float pair[2];
      std::byte *fields[] = {reinterpret_cast<std::byte *>(&number),
                             reinterpret_cast<std::byte *>(pair)};
      Status status = (*rows)->gather(std::span(&row, 1), fields);
      if (status.isOk())
        EXPECT_EQ(number, row);
      else
        expectFailure(status, StatusCode::DataLoss,
                      {"wrong CRC of row", "remove it"});
    }
  });
  directory.write("cache", whole);
  auto rows = open();
  ASSERT_TRUE(rows.isOk());
  EXPECT_TRUE(readAll(**rows).isOk());
}

TEST_F(FileCacheTest, DataNameItsFile) {
  std::vector<float> values(40);
  std::iota(values.begin(), values.end(), 0.0f);
  std::string csv = "x,cache\n";
  for (float value : values)
    csv += std::to_string(value) + ",1\n";
  std::string data = directory.write("x.csv", csv);
  spec.fields = {{"x", {DType::Float32, {}}}};
  spec.batch = 10;
  spec.repeat = 2;
  auto read = [&](const std::string &text) {
    std::vector<float> all, batch(10);
    std::byte *fields[] = {reinterpret_cast<std::byte *>(batch.data())};
    auto source = openDataset(spec, text, 3);
    EXPECT_TRUE(source.isOk()) << source.status().toString();
    while (source.isOk() && (*source)->next(fields).isOk())
      all.insert(all.end(), batch.begin(), batch.end());
    return all;
  };
  for (int64_t shuffle : {0, 13}) {
    spec.shuffleBuffer = shuffle;
    std::vector<float> plain = read(data), part = read(data + "@10:30");
    EXPECT_EQ(plain.size(), 80u);
    EXPECT_EQ(read(data + "?cache=" + path), plain);
    EXPECT_EQ(read(data + "?cache=" + path), plain);
    EXPECT_EQ(read(data + "?cache=" + path + "@10:30"), part);
  }
  EXPECT_EQ(directory.names().size(), 3u);
  // Of a dataset with such a field it is the field's column.
  spec.fields = {{"cache", {DType::Float32, {}}}};
  EXPECT_EQ(read(data + "?cache=x").size(), 80u);
  EXPECT_EQ(directory.names().size(), 3u);
}

} // namespace
