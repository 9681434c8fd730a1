// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TFRecord files: records in their order, and each damage named with its place.
#include "runtime/data/tfrecord/RecordFile.h"
#include "runtime/data/DataSource.h"
#include "runtime/data/tfrecord/ExampleProto.h"
#include "runtime/data/tfrecord/RecordFrame.h"
#include "test/runtime/data/FileBytes.h"
#include "test/runtime/data/Gzip.h"

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

std::string framed(std::string_view data) {
  auto bytes = std::as_bytes(std::span(data));
  auto header = recordHeader(data.size());
  auto footer = recordFooter(bytes);
  std::string text(reinterpret_cast<const char *>(header.data()),
                   header.size());
  text += data;
  text.append(reinterpret_cast<const char *>(footer.data()), footer.size());
  return text;
}

const std::vector<ExampleField> kFields = {{"x", {DType::Float32, {2}}},
                                           {"y", {DType::Int32, {}}}};

/// The example of a row: x = (row, row + 0.5), y = 3 row.
std::string exampleOf(int row) {
  float x[] = {static_cast<float>(row), static_cast<float>(row) + 0.5f};
  int32_t y = 3 * row;
  const std::byte *places[] = {reinterpret_cast<const std::byte *>(x),
                               reinterpret_cast<const std::byte *>(&y)};
  return writeExample(kFields, places);
}

std::string rowsOf(int begin, int end) {
  std::string text;
  for (int row = begin; row < end; ++row)
    text += framed(exampleOf(row));
  return text;
}

DatasetSpec spec(int64_t batch, int64_t shuffle = 0) {
  DatasetSpec made;
  made.name = "points";
  made.fields = {{"x", {DType::Float32, {2}}}, {"y", {DType::Int32, {}}}};
  made.batch = batch;
  made.shuffleBuffer = shuffle;
  return made;
}

/// The ys of all batches.
StatusOr<std::vector<int32_t>> readAll(const DatasetSpec &spec,
                                       const std::string &files) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source,
                          openDataset(spec, files, 1));
  std::vector<int32_t> all;
  std::vector<float> x(2 * static_cast<size_t>(spec.batch));
  std::vector<int32_t> y(static_cast<size_t>(spec.batch));
  std::byte *places[] = {reinterpret_cast<std::byte *>(x.data()),
                         reinterpret_cast<std::byte *>(y.data())};
  while (true) {
    Status status = source->next(places);
    if (status.code() == StatusCode::OutOfRange)
      return all;
    GRAPHC_TRY(status);
    for (size_t i = 0; i < y.size(); ++i) {
      EXPECT_EQ(3 * x[2 * i], static_cast<float>(y[i]));
      EXPECT_EQ(x[2 * i] + 0.5f, x[2 * i + 1]);
      all.push_back(y[i]);
    }
  }
}

class RecordFileTest : public testing::Test {
protected:
  Status openStatus(const std::string &bytes) {
    return RecordFile::open(directory.write("x", bytes)).status();
  }
  TestDirectory directory;
};

TEST_F(RecordFileTest, ReadsRecordsByTheirNumbers) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i)
    bytes += framed(std::string(static_cast<size_t>(i * 37 % 501), 'a'));
  for (bool packs : {false, true}) {
    auto file = RecordFile::open(
        directory.write("x", packs ? gzip(toBytes(bytes)) : toBytes(bytes)));
    ASSERT_TRUE(file.isOk()) << file.status().toString();
    ASSERT_EQ(file->records(), 1000);
    std::vector<std::byte> buffer;
    for (int64_t i : {0, 999, 63, 64, 65, 500, 1}) {
      auto record = file->read(i, buffer);
      ASSERT_TRUE(record.isOk());
      EXPECT_EQ(record->size(), static_cast<size_t>(i * 37 % 501)) << i;
    }
  }
  EXPECT_EQ(RecordFile::open(directory.write("e", ""))->records(), 0);
  // Long ones and short ones in turn.
  std::string mixed;
  for (int i = 0; i < 20; ++i)
    mixed += framed(std::string(i % 3 == 0 ? 300'000 : 5, 'b')) + framed("c");
  auto file = RecordFile::open(directory.write("m", mixed));
  ASSERT_TRUE(file.isOk()) << file.status().toString();
  ASSERT_EQ(file->records(), 40);
  std::vector<std::byte> buffer;
  EXPECT_EQ(file->read(18, buffer)->size(), 300'000u);
  EXPECT_EQ(file->read(39, buffer)->size(), 1u);
}

TEST_F(RecordFileTest, NamesWhatIsDamaged) {
  std::string bytes = framed("first") + framed("second");
  size_t second = framed("first").size();
  std::string at = "(offset " + std::to_string(second) + ") ";
  auto expect = [&](const std::string &damaged, const std::string &what) {
    expectFailure(
        openStatus(damaged), StatusCode::DataLoss,
        {"record 1 of '", (at + what).c_str(), "copy the file again"});
  };
  expect(bytes.substr(0, bytes.size() - 1), "is cut: it has 6 bytes");
  expect(bytes.substr(0, second + 5), "is cut: its length is not whole");
  std::string length = bytes;
  length[second] ^= 1;
  expect(length, "has a wrong CRC of its length");
  std::string data = bytes;
  data[second + kRecordHeader] ^= 1;
  auto file = RecordFile::open(directory.write("x", data));
  ASSERT_TRUE(file.isOk());
  std::vector<std::byte> buffer;
  EXPECT_TRUE(file->read(0, buffer).isOk());
  expectFailure(file->read(1, buffer).status(), StatusCode::DataLoss,
                {"record 1 of '", "has a wrong CRC of its data"});
}

TEST_F(RecordFileTest, TellsAFileThatIsCutWhileItIsRead) {
  std::string path = directory.write("x", rowsOf(0, 4));
  auto file = RecordFile::open(path);
  ASSERT_TRUE(file.isOk());
  std::filesystem::resize_file(path, 100);
  std::vector<std::byte> buffer;
  expectFailure(file->read(3, buffer).status(), StatusCode::DataLoss,
                {"record 3 of '", "cannot be read", "it was cut while"});
}

TEST_F(RecordFileTest, GivesTheSameBatchesAsATable) {
  directory.write("a-0", rowsOf(0, 7));
  directory.write("a-1", rowsOf(7, 12));
  directory.write("b", gzip(toBytes(rowsOf(12, 13))));
  std::string pattern = directory / "a-*",
              list = pattern + "," + directory / "b";
  auto ordered = readAll(spec(2), list);
  ASSERT_TRUE(ordered.isOk()) << ordered.status().toString();
  EXPECT_EQ(*ordered,
            (std::vector<int32_t>{0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33}));
  EXPECT_EQ(*readAll(spec(2), list + "@3:7"),
            (std::vector<int32_t>{9, 12, 15, 18}));
  // The order is the one of the same rows in a table.
  DatasetSpec table = spec(3, 5);
  table.fields = {{"y", {DType::Int32, {}}}};
  std::string text = "y\n";
  for (int row = 0; row < 13; ++row)
    text += std::to_string(3 * row) + "\n";
  auto source = openDataset(table, directory.write("t.csv", text), 1);
  ASSERT_TRUE(source.isOk()) << source.status().toString();
  std::vector<int32_t> expected, batch(3);
  std::byte *place = reinterpret_cast<std::byte *>(batch.data());
  while ((*source)->next(std::span(&place, 1)).isOk())
    expected.insert(expected.end(), batch.begin(), batch.end());
  EXPECT_EQ(*readAll(spec(3, 5), list), expected);
  DatasetSpec later = spec(3, 5);
  later.skip = 2;
  EXPECT_EQ(*readAll(later, list),
            std::vector<int32_t>(expected.begin() + 6, expected.end()));
}

TEST_F(RecordFileTest, TellsWhatDoesNotFit) {
  std::string path = directory.write("x", rowsOf(0, 4));
  DatasetSpec other = spec(1);
  other.fields[1].name = "z";
  expectFailure(readAll(other, path).status(), StatusCode::InvalidArgument,
                {"record 0 of '", "has no feature 'z'; it has 'x', 'y'",
                 "name the feature of a field with ?FIELD=KEY"});
  auto renamed = readAll(other, path + "?z=y");
  EXPECT_TRUE(renamed.isOk()) << renamed.status().toString();
  expectFailure(readAll(other, path + "?q=y").status(),
                StatusCode::InvalidArgument, {"it has no field 'q'"});
  expectFailure(readAll(other, path + "?z=").status(),
                StatusCode::InvalidArgument, {"write ?FIELD=KEY"});
  DatasetSpec longer = spec(1);
  longer.fields[0].type.shape = {3};
  expectFailure(readAll(longer, path).status(), StatusCode::InvalidArgument,
                {"has feature 'x' with 2 floats, but the field is declared "
                 "float32[3]"});
  DatasetSpec narrow = spec(1);
  narrow.fields[1].type.dtype = DType::Bool;
  expectFailure(readAll(narrow, path).status(), StatusCode::InvalidArgument,
                {"record 1 of '", "with the integer 3, but the field is "
                                  "declared bool[]"});
  expectFailure(readAll(spec(1), directory / "none-*").status(),
                StatusCode::NotFound, {"no file fits"});
  expectFailure(readAll(spec(9), path).status(), StatusCode::InvalidArgument,
                {"gives 4 examples, fewer than one batch of 9"});
  expectFailure(
      readAll(spec(1), directory.write("bad", framed("\xff\xff"))).status(),
      StatusCode::DataLoss, {"record 0 of '", "is no tf.Example message"});
}

} // namespace
