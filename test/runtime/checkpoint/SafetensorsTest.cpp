// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkpoints keep every tensor, are the same bytes each time, and are refused
// with a reason when anything in them is wrong.
#include "runtime/checkpoint/Safetensors.h"
#include "runtime/checkpoint/TensorHash.h"
#include "test/runtime/data/FileBytes.h"

#include <algorithm>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

std::vector<NamedTensor> sample() {
  return {{"w", tensorOf<float>({2, 2}, {1, 2, 3, 4})},
          {"step", tensorOf<int64_t>({}, {-5})},
          {"signed", tensorOf<int8_t>({2}, {-128, 127})},
          {"short", tensorOf<int16_t>({1}, {INT16_MIN})},
          {"ids", tensorOf<uint16_t>({1}, {UINT16_MAX})},
          {"seeds", tensorOf<uint32_t>({1}, {UINT32_MAX})},
          {"hashes", tensorOf<uint64_t>({1}, {UINT64_MAX})},
          {"flags", boolsOf({0, 1, 0})},
          {"bytes", tensorOf<uint8_t>({1}, {200})},
          {"counts", tensorOf<int32_t>({1}, {-9})},
          {"mean", tensorOf<double>({0, 4}, {})}};
}

class SafetensorsTest : public testing::Test {
protected:
  /// The failure of loading a file with that header and data.
  Status refusal(const std::string &header, const std::string &data = "") {
    uint64_t size = header.size();
    std::string start(reinterpret_cast<const char *>(&size), sizeof(size));
    return loadSafetensors(directory.write("x", start + header + data))
        .status();
  }
  void expectRefusal(const std::string &header, const std::string &data,
                     const char *reason) {
    expectFailure(refusal(header, data), StatusCode::DataLoss,
                  {"x' is not a safetensors file, or damaged", reason,
                   "copy it again or use another checkpoint"});
  }

  TestDirectory directory;
};

/// A header's entry.
std::string entry(const std::string &name, const std::string &dtype,
                  const std::string &shape, const std::string &offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape +
         R"(,"data_offsets":)" + offsets + "}";
}

TEST_F(SafetensorsTest, RoundTripsSortedByName) {
  std::vector<NamedTensor> tensors = sample();
  SafetensorsMetadata metadata = {{"plan", "1234"}, {"graph", "tr\xc3\xa4in"}};
  ASSERT_TRUE(saveSafetensors(directory / "x", tensors, metadata).isOk());
  SafetensorsMetadata texts;
  auto read = loadSafetensors(directory / "x", &texts);
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  EXPECT_EQ(texts, metadata);
  std::sort(tensors.begin(), tensors.end(),
            [](auto &a, auto &b) { return a.name < b.name; });
  ASSERT_EQ(read->size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ((*read)[i].name, tensors[i].name);
    EXPECT_EQ((*read)[i].tensor.type, tensors[i].tensor.type);
    EXPECT_EQ((*read)[i].tensor.bytes, tensors[i].tensor.bytes);
  }
}

TEST_F(SafetensorsTest, HasFloatsOf16Bits) {
  std::vector<NamedTensor> tensors = {
      {"a", {{DType::Float16, {1}}, toBytes("xy")}},
      {"b", {{DType::BFloat16, {2}}, toBytes("wxyz")}}};
  ASSERT_TRUE(saveSafetensors(directory / "x", tensors).isOk());
  auto text = directory.read("x");
  std::string header(reinterpret_cast<const char *>(text.data()), text.size());
  EXPECT_NE(header.find(R"("dtype":"F16")"), std::string::npos);
  EXPECT_NE(header.find(R"("dtype":"BF16")"), std::string::npos);
  auto read = loadSafetensors(directory / "x");
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  for (size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ((*read)[i].tensor.type, tensors[i].tensor.type);
    EXPECT_EQ((*read)[i].tensor.bytes, tensors[i].tensor.bytes);
  }
}

TEST_F(SafetensorsTest, BytesDoNotDependOnTheOrderGiven) {
  std::vector<NamedTensor> tensors = sample();
  ASSERT_TRUE(saveSafetensors(directory / "x", tensors).isOk());
  std::reverse(tensors.begin(), tensors.end());
  ASSERT_TRUE(saveSafetensors(directory / "y", tensors).isOk());
  EXPECT_EQ(directory.read("x"), directory.read("y"));
}

TEST_F(SafetensorsTest, WritesTheBytesOfTheFormat) {
  std::vector<NamedTensor> tensors = {{"b", tensorOf<uint8_t>({2}, {'y', 'z'})},
                                      {"a", tensorOf<uint8_t>({1}, {'x'})}};
  ASSERT_TRUE(saveSafetensors(directory / "x", tensors).isOk());
  std::string header =
      R"({"a":{"data_offsets":[0,1],"dtype":"U8","shape":[1]},)"
      R"("b":{"data_offsets":[1,3],"dtype":"U8","shape":[2]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string size = {static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(directory.read("x"), toBytes(size + header + "xyz"));
}

TEST_F(SafetensorsTest, SavesNothingAtAll) {
  ASSERT_TRUE(saveSafetensors(directory / "x", {}).isOk());
  auto read = loadSafetensors(directory / "x");
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  EXPECT_TRUE(read->empty());
}

TEST_F(SafetensorsTest, RefusesToSaveWhatItCouldNotLoad) {
  NamedTensor one{"a", tensorOf<float>({1}, {1})};
  auto save = [&](std::vector<NamedTensor> tensors) {
    return saveSafetensors(directory / "x", tensors);
  };
  expectFailure(save({one, one}), StatusCode::InvalidArgument,
                {"'a'", "the name is used twice"});
  expectFailure(save({{"__metadata__", one.tensor}}),
                StatusCode::InvalidArgument, {"the format keeps this name"});
  expectFailure(save({{"\xff", one.tensor}}), StatusCode::InvalidArgument,
                {"is not UTF-8"});
  expectFailure(save({{"a", {{DType::String, {}}, {}}}}),
                StatusCode::InvalidArgument, {"holds no strings"});
  one.tensor.type.shape = {2};
  expectFailure(save({one}), StatusCode::Internal,
                {"4 bytes are given for float32[2]"});
  EXPECT_TRUE(directory.names().empty());
}

TEST_F(SafetensorsTest, RefusesHeadersThatAreNoHeaders) {
  expectRefusal("", "", "not a JSON object");
  expectRefusal("[1]", "", "not a JSON object");
  expectRefusal("{\"a\":", "", "not a JSON object");
  expectRefusal("{\"a\":1}", "", "tensor 'a' lacks one of dtype");
  expectRefusal("{\"__metadata__\":{\"a\":1}}", "", "other than texts");
  std::string a = entry("a", "U8", "[1]", "[0,1]");
  expectRefusal("{" + a + "," + a + "}", "x", "a key twice");
  EXPECT_TRUE(refusal("{" + a + "}", "x").isOk());
}

TEST_F(SafetensorsTest, RefusesSizesOfTheHeaderThatLie) {
  for (std::string start : {"", "\1\2\3", "\xff\xff\xff\xff\xff\xff\xff\xff"})
    expectFailure(loadSafetensors(directory.write("x", start)).status(),
                  StatusCode::DataLoss, {"do not give the size of a header"});
}

TEST_F(SafetensorsTest, RefusesExtentsThatLie) {
  auto one = [](const std::string &shape, const std::string &offsets) {
    return "{" + entry("a", "I32", shape, offsets) + "}";
  };
  expectRefusal(one("[1]", "[0,8]"), "1234", "reaches to byte 8 of 4");
  expectRefusal(one("[1]", "[4,0]"), "1234", "reaches to byte 0 of 4");
  expectRefusal(one("[2]", "[0,4]"), "1234",
                "has 4 bytes, which is not what int32[2] takes");
  expectRefusal(one("[1]", "[4,8]"), "12345678", "unused");
  expectRefusal(one("[1]", "[0,4]"), "12345", "end at byte 4 of 5");
  expectRefusal(one("[1]", "[0]"), "1234", "no pair of data_offsets");
  expectRefusal(one("[1]", "[-4,0]"), "1234", "no pair of data_offsets");
  expectRefusal(one("[1.0]", "[0,4]"), "1234", "a dimension that is no number");
  expectRefusal(one("1", "[0,4]"), "1234", "has no shape");
  expectRefusal(one("[4611686018427387904,4,0]", "[0,0]"), "", "not what");
  expectRefusal("{" + entry("a", "U8", "[2]", "[0,2]") + "," +
                    entry("b", "U8", "[2]", "[1,3]") + "}",
                "123", "tensor 'b' overlaps another");
}

TEST_F(SafetensorsTest, SaysWhatTypesItReads) {
  expectFailure(
      refusal("{" + entry("a", "F8_E5M2", "[2]", "[0,2]") + "}", "12"),
      StatusCode::InvalidArgument,
      {"tensor 'a' of '", "type F8_E5M2", "convert it to BOOL, I8"});
  expectRefusal(R"({"a":{"dtype":1,"shape":[],"data_offsets":[0,0]}})", "",
                "a dtype that is no text");
  expectFailure(refusal("{" + entry("a", "BOOL", "[1]", "[0,1]") + "}", "\2"),
                StatusCode::DataLoss, {"only 0 and 1 are bools"});
}

TEST_F(SafetensorsTest, MissingFilesAreNamed) {
  expectFailure(loadSafetensors(directory / "none").status(),
                StatusCode::NotFound, {"none'", "No such file"});
}

TEST_F(SafetensorsTest, NoDamageCrashes) {
  std::vector<NamedTensor> tensors = sample();
  ASSERT_TRUE(saveSafetensors(directory / "x", tensors, {{"k", "v"}}).isOk());
  Bytes bytes = directory.read("x");
  auto load = [&](const Bytes &damaged) {
    auto read = loadSafetensors(directory.write("y", damaged));
    for (size_t i = 0; read.isOk() && i < read->size(); ++i) {
      const HostTensor &tensor = (*read)[i].tensor;
      EXPECT_EQ(tensor.bytes.size(), tensor.type.numBytes());
    }
    return read.isOk();
  };
  cutEverywhere(bytes, [&](const Bytes &cut) { EXPECT_FALSE(load(cut)); });
  flipAtRandom(bytes, 10000, load);
}

/// XXH3 of 128 bits, whatever instructions the CPU has: older checkpoints and
/// those of other machines are read.
TEST(TensorHash, IsThatOfAllPartsTogether) {
  Bytes bytes(3000);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(i * 7);
  const TensorDigest expected = {0x6168bb188259cccf, 0x7ab4ea880b3e8104};
  EXPECT_EQ(digestOf(bytes), expected);
  EXPECT_EQ(digestOf({}),
            (TensorDigest{0x6001c324468d497f, 0x99aa06d3014798d8}));
  for (size_t part : {1, 63, 256, 1000, 3000}) {
    auto hash = TensorHash::begin();
    ASSERT_TRUE(hash.isOk());
    for (size_t at = 0; at < bytes.size(); at += part)
      hash->update(
          std::span(bytes).subspan(at, std::min(part, bytes.size() - at)));
    EXPECT_EQ(hash->digest(), expected) << part;
  }
}

} // namespace
