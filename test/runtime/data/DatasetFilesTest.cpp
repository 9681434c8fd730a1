// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of all kinds become the declared fields; what does not match is
// explained.
#include "runtime/data/DatasetFiles.h"
#include "runtime/data/Npy.h"
#include "test/runtime/data/FileBytes.h"
#include "test/runtime/data/Gzip.h"
#include "test/runtime/data/WholeTable.h"

using namespace graphc::runtime;
using namespace graphc::test;
using namespace std::string_literals;

namespace {

/// Image and label of five examples, as IDX files and their spec.
class DatasetFilesTest : public testing::Test {
protected:
  DatasetFilesTest() {
    images = directory.write("images",
                             gzip(toBytes("\0\0\x08\3\0\0\0\5\0\0\0\1\0\0\0\2"
                                          "aAbBcCdDeE"s)));
    labels = directory.write("labels", "\0\0\x08\1\0\0\0\5\5\6\7\x8\x9"s);
    spec.name = "digits";
    spec.fields = {{"image", {DType::UInt8, {1, 2, 1}}},
                   {"label", {DType::Int32, {}}}};
  }

  StatusOr<ExampleTable> load(const std::string &files) {
    GRAPHC_ASSIGN_OR_RETURN(DatasetFiles parsed, parseDatasetFiles(files));
    return loadExamples(spec, parsed);
  }
  std::vector<int32_t> labelsOf(const ExampleTable &table) {
    std::vector<int32_t> values(static_cast<size_t>(table.rows));
    std::memcpy(values.data(), table.columns[1].bytes.data(),
                table.columns[1].bytes.size());
    return values;
  }
  void expectError(const std::string &files,
                   std::initializer_list<const char *> parts) {
    expectFailure(load(files).status(), StatusCode::InvalidArgument, parts);
    expectFailure(load(files).status(), StatusCode::InvalidArgument,
                  {"dataset 'digits': "});
  }

  TestDirectory directory;
  std::string images, labels;
  DatasetSpec spec;
};

TEST(DatasetFilesText, IsTakenApart) {
  auto all = parseDatasetFiles("a,b@home,c@10:200");
  ASSERT_TRUE(all.isOk());
  EXPECT_EQ(all->paths, (std::vector<std::string>{"a", "b@home", "c"}));
  EXPECT_EQ(all->begin, 10);
  EXPECT_EQ(all->end, 200);
  auto open = parseDatasetFiles("a@:5");
  ASSERT_TRUE(open.isOk());
  EXPECT_EQ(open->begin, std::nullopt);
  EXPECT_EQ(open->end, 5);
  auto name = parseDatasetFiles("data@v2.npy");
  ASSERT_TRUE(name.isOk());
  EXPECT_EQ(name->paths, std::vector<std::string>{"data@v2.npy"});
}

TEST(DatasetFilesText, IsRefusedWithTheForm) {
  for (const char *text :
       {"a@5", "a@-1:2", "a@1:2:3", "a@5-", "a@1:99999999999999999999"})
    expectFailure(parseDatasetFiles(text).status(), StatusCode::InvalidArgument,
                  {"is no range of rows; write @BEGIN:END"});
  for (const char *text : {"", "a,", ",a", "@1:2"})
    expectFailure(parseDatasetFiles(text).status(), StatusCode::InvalidArgument,
                  {"a file name is empty"});
}

TEST_F(DatasetFilesTest, GroupsShapesAndWidensIntegers) {
  auto table = load(images + "," + labels);
  ASSERT_TRUE(table.isOk()) << table.status().toString();
  EXPECT_EQ(table->rows, 5);
  EXPECT_EQ(table->columns[0].bytes, toBytes("aAbBcCdDeE"));
  EXPECT_EQ(table->columns[0].rowBytes, 2u);
  EXPECT_EQ(table->columns[1].rowBytes, 4u);
  EXPECT_EQ(labelsOf(*table), (std::vector<int32_t>{5, 6, 7, 8, 9}));
}

TEST_F(DatasetFilesTest, KeepsTheRange) {
  auto table = load(images + "," + labels + "@1:3");
  ASSERT_TRUE(table.isOk()) << table.status().toString();
  EXPECT_EQ(table->columns[0].bytes, toBytes("bBcC"));
  EXPECT_EQ(labelsOf(*table), (std::vector<int32_t>{6, 7}));
  EXPECT_EQ(load(images + "," + labels + "@3:")->rows, 2);
  EXPECT_EQ(load(images + "," + labels + "@:4")->rows, 4);
}

TEST_F(DatasetFilesTest, ReadsNpzByName) {
  std::vector<NamedTensor> tensors = {
      {"label", tensorOf<int32_t>({2}, {3, 4})},
      {"other", tensorOf<float>({1}, {1})},
      {"image", tensorOf<uint8_t>({2, 2}, {'w', 'x', 'y', 'z'})}};
  ASSERT_TRUE(saveNpz(directory / "x.npz", tensors, true).isOk());
  auto table = load(directory / "x.npz");
  ASSERT_TRUE(table.isOk()) << table.status().toString();
  EXPECT_EQ(table->columns[0].bytes, toBytes("wxyz"));
  EXPECT_EQ(labelsOf(*table), (std::vector<int32_t>{3, 4}));
}

TEST_F(DatasetFilesTest, ReadsCsvForAllFieldsOrForOne) {
  std::string all = directory.write("all.csv", "label,image_0,image_1\n"
                                               "3,119,120\n4,121,122\n");
  std::string one = directory.write("one.csv", "3\n4\n5\n6\n7\n");
  for (const std::string &files : {all, images + "," + one + "@:2"}) {
    auto table = load(files);
    ASSERT_TRUE(table.isOk()) << table.status().toString();
    EXPECT_EQ(table->rows, 2);
    EXPECT_EQ(labelsOf(*table), (std::vector<int32_t>{3, 4}));
  }
}

TEST_F(DatasetFilesTest, ExplainsTypes) {
  spec.fields[0].type.dtype = DType::Float32;
  expectError(images + "," + labels,
              {"field 'image' is declared float32[1,2,1]",
               "images' holds uint8",
               "declare the field as uint8 and cast it in the graph"});
  spec.fields[0].type = {DType::UInt8, {3}};
  expectError(images + "," + labels, {"holds uint8[1,2] in each row"});
}

TEST_F(DatasetFilesTest, ExplainsRows) {
  std::string six = directory.write("six", "\0\0\x08\1\0\0\0\6\5\6\7\x8\x9\1"s);
  expectError(images + "," + six, {"images' has 5 rows, but '", "six' has 6"});
  expectError(images + "," + labels + "@2:9",
              {"the rows 2:9 are not all in", "which has 5 rows"});
  expectError(images + "," + labels + "@4:2", {"gives 0 examples"});
  spec.batch = 6;
  expectError(images + "," + labels,
              {"gives 5 examples, fewer than one batch of 6"});
  std::string scalar = directory.write("scalar", "\0\0\x08\0x"s);
  expectError(images + "," + scalar, {"holds a scalar without rows"});
}

TEST_F(DatasetFilesTest, ExplainsFiles) {
  expectError(images, {"1 files are given for 2 fields", "'image', 'label'"});
  expectError(images + "," + directory.write("x.txt", "1\n2\n"),
              {"x.txt' is no file of data; .npy, .npz, IDX"});
  expectFailure(load(images + "," + directory / "none").status(),
                StatusCode::NotFound, {"dataset 'digits': cannot read"});
}

} // namespace
