// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IDX files are read in every type, plain and compressed, and refused with what
// was expected and what is there.
#include "runtime/data/idx/Idx.h"
#include "test/runtime/data/FileBytes.h"
#include "test/runtime/data/Gzip.h"

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

using namespace std::string_literals;

TEST(Idx, ReadsBytes) {
  auto read = parseIdx(toBytes("\0\0\x08\2\0\0\0\2\0\0\0\3abcdef"s), "x");
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  EXPECT_EQ(read->type, (TensorType{DType::UInt8, {2, 3}}));
  EXPECT_EQ(read->bytes, toBytes("abcdef"));
}

TEST(Idx, ConvertsBigEndian) {
  auto ints =
      parseIdx(toBytes("\0\0\x0c\1\0\0\0\2\0\0\1\2\xff\xff\xff\xfe"s), "x");
  ASSERT_TRUE(ints.isOk());
  EXPECT_EQ(valuesOf<int32_t>(*ints), (std::vector<int32_t>{258, -2}));
  auto floats = parseIdx(toBytes("\0\0\x0d\1\0\0\0\1\x3f\xc0\0\0"s), "x");
  ASSERT_TRUE(floats.isOk());
  EXPECT_EQ(valuesOf<float>(*floats), std::vector<float>{1.5f});
  auto doubles =
      parseIdx(toBytes("\0\0\x0e\1\0\0\0\1\xc0\x04\0\0\0\0\0\0"s), "x");
  ASSERT_TRUE(doubles.isOk());
  EXPECT_EQ(valuesOf<double>(*doubles), std::vector<double>{-2.5});
}

TEST(Idx, ReadsAnyRank) {
  auto scalar = parseIdx(toBytes("\0\0\x08\0x"s), "x");
  ASSERT_TRUE(scalar.isOk());
  EXPECT_TRUE(scalar->type.shape.empty());
  std::string deep = "\0\0\x08\xff"s;
  for (int i = 0; i < 255; ++i)
    deep += "\0\0\0\1"s;
  auto read = parseIdx(toBytes(deep + "x"), "x");
  ASSERT_TRUE(read.isOk());
  EXPECT_EQ(read->type.shape.size(), 255u);
  EXPECT_TRUE(parseIdx(gzip(toBytes(deep + "x")), "x").isOk());
}

TEST(Idx, ReadsGzip) {
  std::string plain = "\0\0\x08\1\0\1\0\0"s + std::string(65536, 'z');
  auto read = parseIdx(gzip(toBytes(plain)), "x.gz");
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  EXPECT_EQ(read->bytes, toBytes(std::string(65536, 'z')));
}

TEST(Idx, ReadsGzipOfSeveralMembers) {
  Bytes bytes = gzip(toBytes("\0\0\x08\1\0\0\0\3a"s));
  Bytes more = gzip(toBytes("bc"));
  bytes.insert(bytes.end(), more.begin(), more.end());
  auto read = parseIdx(bytes, "x.gz");
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  EXPECT_EQ(read->bytes, toBytes("abc"));
}

TEST(Idx, SaysExpectedAndGot) {
  for (bool compressed : {false, true}) {
    auto parse = [&](const std::string &text) {
      Bytes bytes = toBytes(text);
      return parseIdx(compressed ? gzip(bytes) : bytes, "t10k").status();
    };
    expectFailure(parse("\0\0\x08\1\0\0\0\5abc"s), StatusCode::DataLoss,
                  {"'t10k' should hold 5 bytes of uint8[5], but holds 3"});
    expectFailure(parse("\0\0\x08\1\0\0\0\2abc"s), StatusCode::DataLoss,
                  {"but holds 3; bytes follow its end"});
    expectFailure(parse("\0\0\x08\2\0\0\0\2"s), StatusCode::DataLoss,
                  {"expected 12 bytes, got 8"});
    expectFailure(parse("hello"), StatusCode::InvalidArgument,
                  {"'t10k' is not an IDX file"});
    expectFailure(parse("\0\0\x07\1\0\0\0\0"s), StatusCode::InvalidArgument,
                  {"its third byte is 7"});
    expectFailure(parse("\0\0\x0b\1\0\0\0\0"s), StatusCode::InvalidArgument,
                  {"int16", "save it as uint8"});
  }
}

TEST(Idx, RefusesDamagedGzip) {
  Bytes bytes = gzip(toBytes("\0\0\x08\1\0\0\0\3abc"s));
  Bytes badChecksum = bytes;
  badChecksum[bytes.size() - 6] ^= std::byte{1};
  expectFailure(parseIdx(badChecksum, "x.gz").status(), StatusCode::DataLoss,
                {"'x.gz' is damaged: incorrect data check"});
  bytes.resize(bytes.size() - 1);
  expectFailure(parseIdx(bytes, "x.gz").status(), StatusCode::DataLoss,
                {"'x.gz' is damaged: it ends too early"});
}

TEST(Idx, DoesNotInflateMoreThanItsHeaderClaims) {
  // A megabyte follows; one byte too many is enough to refuse it.
  Bytes bomb =
      gzip(toBytes("\0\0\x08\1\0\0\0\1"s + std::string(1 << 20, '\0')));
  expectFailure(parseIdx(bomb, "x.gz").status(), StatusCode::DataLoss,
                {"should hold 1 bytes of uint8[1], but holds 2"});
}

TEST(Idx, RefusesShapesThatOverflow) {
  std::string file = "\0\0\x0e\3"s + std::string(12, '\xff');
  expectFailure(parseIdx(toBytes(file), "x").status(),
                StatusCode::InvalidArgument, {"more than any memory"});
}

} // namespace
