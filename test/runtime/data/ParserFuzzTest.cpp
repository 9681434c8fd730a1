// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No cut and no change of a small file makes a reader crash, hang or take much
// memory; what it accepts is consistent. Sanitizer builds make this sharp.
#include "runtime/data/DatasetFiles.h"
#include "runtime/data/Npy.h"
#include "runtime/data/csv/Csv.h"
#include "runtime/data/idx/Idx.h"
#include "test/runtime/data/FileBytes.h"
#include "test/runtime/data/Gzip.h"

#include <algorithm>

using namespace graphc::runtime;
using namespace graphc::test;
using namespace std::string_literals;

namespace {

constexpr int kRounds = 10000;

void expectConsistent(const HostTensor &tensor) {
  EXPECT_EQ(tensor.bytes.size(), tensor.type.numBytes());
}

/// Reads a file as `parse` does; returns whether it was accepted.
template <typename Parse> bool accepts(const Bytes &bytes, Parse parse) {
  auto read = parse(bytes);
  if (!read.isOk()) {
    EXPECT_FALSE(read.status().message().empty());
    return false;
  }
  if constexpr (std::is_same_v<std::decay_t<decltype(*read)>, HostTensor>)
    expectConsistent(*read);
  else
    std::for_each(read->begin(), read->end(), [](const NamedTensor &named) {
      expectConsistent(named.tensor);
    });
  return true;
}

/// Cuts and changes the file in all ways; a cut file must be refused.
template <typename Parse> void damage(const Bytes &bytes, Parse parse) {
  ASSERT_TRUE(accepts(bytes, parse));
  cutEverywhere(bytes, [&](const Bytes &cut) {
    EXPECT_FALSE(accepts(cut, parse)) << "cut at byte " << cut.size();
  });
  flipAtRandom(bytes, kRounds,
               [&](const Bytes &changed) { accepts(changed, parse); });
}

auto asIdx = [](const Bytes &bytes) { return parseIdx(bytes, "x"); };
auto asNpy = [](const Bytes &bytes) { return parseNpy(bytes, "x"); };
auto asNpz = [](const Bytes &bytes) { return parseNpz(bytes, "x"); };

TEST(ParserFuzz, Idx) {
  damage(toBytes("\0\0\x0d\2\0\0\0\2\0\0\0\1abcdefgh"s), asIdx);
}

TEST(ParserFuzz, IdxGzip) {
  damage(gzip(toBytes("\0\0\x08\2\0\0\0\2\0\0\0\4abcdefgh"s)), asIdx);
}

TEST(ParserFuzz, Npy) {
  TestDirectory directory;
  ASSERT_TRUE(saveNpy(directory / "x", tensorOf<float>({2, 1}, {1, 2})).isOk());
  damage(directory.read("x"), asNpy);
}

TEST(ParserFuzz, NpyInFortranOrder) {
  std::string header = "{'descr': '<i4', 'fortran_order': True, 'shape': "
                       "(2, 2, 1)}\n";
  damage(toBytes("\x93NUMPY\1\0"s + static_cast<char>(header.size()) + '\0' +
                 header + std::string(16, 'x')),
         asNpy);
}

TEST(ParserFuzz, Npz) {
  TestDirectory directory;
  std::vector<NamedTensor> tensors = {{"a", tensorOf<float>({2}, {1, 2})},
                                      {"b", tensorOf<uint8_t>({3}, {1, 2, 3})}};
  for (bool compress : {false, true}) {
    ASSERT_TRUE(saveNpz(directory / "x", tensors, compress).isOk());
    damage(directory.read("x"), asNpz);
  }
}

TEST(ParserFuzz, Csv) {
  std::vector<CsvField> fields = {{"x", {DType::Float32, {2}}},
                                  {"y", {DType::Int32, {}}}};
  auto read = [&](const Bytes &bytes) {
    std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                          bytes.size());
    auto tensors = parseCsv(text, fields, "x");
    for (size_t i = 0; tensors.isOk() && i < tensors->size(); ++i)
      expectConsistent((*tensors)[i]);
  };
  Bytes text = toBytes("x,\"a\"\"b\",y\r\n1.5,-2e10, 3\n\"4\",5,6\n,");
  cutEverywhere(text, read);
  flipAtRandom(text, kRounds, read);
}

TEST(ParserFuzz, DatasetText) {
  auto read = [](const Bytes &bytes) {
    std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                          bytes.size());
    auto files = parseDatasetFiles(text);
    EXPECT_FALSE(files.isOk() && files->paths.empty());
  };
  flipAtRandom(toBytes("file,other@10:20"), kRounds, read);
}

} // namespace
