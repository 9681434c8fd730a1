// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CSV columns become tensors, by order or by name; errors name line and column.
#include "runtime/data/csv/Csv.h"
#include "test/runtime/data/FileBytes.h"

#include <cmath>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

std::vector<CsvField> fields() {
  return {{"x", {DType::Float32, {2}}}, {"y", {DType::Int32, {}}}};
}

/// EXPECTs the rows (1, 2; 3) and (4, 5; 6).
void expectSample(std::string_view text) {
  auto read = parseCsv(text, fields(), "x.csv");
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  EXPECT_EQ((*read)[0].type, (TensorType{DType::Float32, {2, 2}}));
  EXPECT_EQ(valuesOf<float>((*read)[0]), (std::vector<float>{1, 2, 4, 5}));
  EXPECT_EQ((*read)[1].type, (TensorType{DType::Int32, {2}}));
  EXPECT_EQ(valuesOf<int32_t>((*read)[1]), (std::vector<int32_t>{3, 6}));
}

void expectError(std::string_view text,
                 std::initializer_list<const char *> parts) {
  expectFailure(parseCsv(text, fields(), "x.csv").status(),
                StatusCode::InvalidArgument, parts);
}

TEST(Csv, TakesColumnsInOrder) {
  expectSample("1,2,3\n4,5,6\n");
  expectSample("1,2,3\n4,5,6");
  expectSample("\xef\xbb\xbf"
               "1,2,3\r\n\r\n4,5,6\r\n\n");
  expectSample(" 1.0 ,\t2e0, 3 \n\"4\",\" 5\"  ,\"+6\"\n");
}

TEST(Csv, TakesColumnsByName) {
  expectSample("y,x,second\n3,1,2\n6,4,5\n");
  expectSample("id,y,x_0,x_1\na,3,1,2\nb,6,4,5\n");
  expectSample("\"y\",\"x\",\"a \"\"b\"\", c\"\n3,1,2\n6,4,5\n");
}

TEST(Csv, SkipsAHeaderThatNamesNoField) {
  expectSample("a,b,c\n1,2,3\n4,5,6\n");
}

TEST(Csv, ReadsEveryType) {
  std::vector<CsvField> all = {
      {"a", {DType::Bool, {}}},    {"b", {DType::UInt8, {}}},
      {"c", {DType::Int64, {}}},   {"d", {DType::Float64, {}}},
      {"e", {DType::Float32, {}}},
  };
  auto read = parseCsv("true,255,-9223372036854775808,-1e308,1e-60\n"
                       "0,0,0,nan,inf\n",
                       all, "x.csv");
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  EXPECT_EQ((*read)[0].bytes, (Bytes{std::byte{1}, std::byte{0}}));
  EXPECT_EQ((*read)[1].as<uint8_t>()[0], 255);
  EXPECT_EQ((*read)[2].as<int64_t>()[0], INT64_MIN);
  EXPECT_EQ((*read)[3].as<double>()[0], -1e308);
  EXPECT_TRUE(std::isnan((*read)[3].as<double>()[1]));
  EXPECT_EQ((*read)[4].as<float>()[0], 0.0f);
  EXPECT_TRUE(std::isinf((*read)[4].as<float>()[1]));
}

TEST(Csv, NamesLineAndColumn) {
  expectError("1,2,3\n4,five,6\n",
              {"x.csv:2: column 2: 'five' is not float32"});
  expectError("1,2,3\n\n4,5,6.5\n", {"x.csv:3: column 3: '6.5' is not int32"});
  expectError("1,2,3\n4,,6\n", {"x.csv:2: column 2: the cell is empty"});
  expectError("1,2,3000000000\n",
              {"x.csv:1: column 3: '3000000000' does not fit int32"});
  expectError("1,1e39,3\n", {"column 2: '1e39' does not fit float32"});
  expectError("1,2,3\n4,5\n",
              {"x.csv:2:", "has 2 columns, but the first has 3"});
  expectError("1,2,3\n4,5,6,7\n", {"x.csv:2: column 4"});
  expectError("1,\"2,3\n", {"x.csv:1: column 2: the quote is not closed"});
  expectError("1,\"2\"2,3\n", {"column 2: text follows the closing quote"});
}

TEST(Csv, ExplainsColumnsThatDoNotFitTheFields) {
  expectError("1,2,3,4\n", {"has 4 columns, but the fields take 3"});
  expectError("a,y,b\n1,2,3\n", {"no column 'x', but names other fields"});
  expectError("x,y,b\n1,2,3\n", {"column 2: both field 'x' and field 'y'"});
  expectError("x,a,x\n1,2,3\n", {"column 3: field 'x' is named by another"});
  expectError("y,x\n1,2\n", {"column 2: field 'x' takes 2 columns"});
  expectError("", {"'x.csv' holds no line"});
}

} // namespace
