// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npy files are written as NumPy writes them, read in all their variants, and
// refused with a reason.
#include "runtime/data/Npy.h"
#include "test/runtime/data/FileBytes.h"

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

/// A .npy file with that header and those elements.
Bytes npy(std::string header, std::string_view elements, char version = 1) {
  std::string file = "\x93NUMPY";
  file += {version, '\0', static_cast<char>(header.size() & 0xff),
           static_cast<char>(header.size() >> 8)};
  if (version > 1)
    file += {'\0', '\0'};
  return toBytes(file + header + std::string(elements));
}

Bytes npyOfType(const std::string &descr, std::string_view elements) {
  return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                 "1,), }",
             elements);
}

TEST(Npy, RoundTripsEveryType) {
  TestDirectory directory;
  std::vector<HostTensor> tensors = {
      boolsOf({0, 1}),
      tensorOf<uint8_t>({3}, {0, 7, 255}),
      tensorOf<int32_t>({1, 2}, {-1, INT32_MAX}),
      tensorOf<int64_t>({}, {INT64_MIN}),
      tensorOf<float>({2, 0, 3}, {}),
      tensorOf<double>({2, 1, 1}, {0.1, -1e300}),
      {{DType::Float16, {2}}, toBytes("\1\2\3\4")},
      tensorOf<int8_t>({2}, {-128, 127}),
      tensorOf<int16_t>({1}, {INT16_MIN}),
      tensorOf<uint16_t>({1}, {UINT16_MAX}),
      tensorOf<uint32_t>({1}, {UINT32_MAX}),
      tensorOf<uint64_t>({1}, {UINT64_MAX}),
  };
  for (const HostTensor &tensor : tensors) {
    ASSERT_TRUE(saveNpy(directory / "x.npy", tensor).isOk());
    auto read = loadNpy(directory / "x.npy");
    ASSERT_TRUE(read.isOk()) << read.status().toString();
    EXPECT_EQ(read->type, tensor.type);
    EXPECT_EQ(read->bytes, tensor.bytes);
  }
}

TEST(Npy, HeaderEndsAtAMultipleOf64) {
  for (int rank = 0; rank < 20; ++rank) {
    std::string header =
        npyHeader({DType::Float32, std::vector<int64_t>(rank, 123456)});
    EXPECT_EQ(header.size() % 64, 0u) << rank;
    EXPECT_EQ(header.back(), '\n');
  }
}

TEST(Npy, ReadsVersions2And3) {
  std::string header =
      "{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"|u1\"}\n";
  for (char version : {2, 3}) {
    auto read = parseNpy(npy(header, "ab", version), "x");
    ASSERT_TRUE(read.isOk()) << read.status().toString();
    EXPECT_EQ(valuesOf<uint8_t>(*read), (std::vector<uint8_t>{'a', 'b'}));
  }
}

TEST(Npy, ConvertsFortranOrder) {
  auto read = parseNpy(
      npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }",
          "acebdfgikhjl"),
      "x");
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  // Element (i, j, k) lies at i + 2 j + 6 k of the file.
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 3; ++j)
      for (size_t k = 0; k < 2; ++k)
        EXPECT_EQ(read->as<uint8_t>()[6 * i + 2 * j + k],
                  "acebdfgikhjl"[i + 2 * j + 6 * k]);
}

TEST(Npy, SaysWhatTypesItReads) {
  for (const char *descr : {"<f1", "<c8", "<U3", "|O"})
    expectFailure(parseNpy(npyOfType(descr, "xx"), "a.npy").status(),
                  StatusCode::InvalidArgument,
                  {"'a.npy'", descr, "save it as bool, int8"});
  expectFailure(parseNpy(npyOfType(">f4", "xxxx"), "a.npy").status(),
                StatusCode::InvalidArgument, {"array.astype('<f4')"});
  expectFailure(parseNpy(npy("{'descr': [('a', '<f4')], 'fortran_order': "
                             "False, 'shape': (1,), }",
                             "xxxx"),
                         "a.npy")
                    .status(),
                StatusCode::InvalidArgument, {"a structured type"});
}

TEST(Npy, SaysWhereBytesAreMissing) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  expectFailure(parseNpy(npy(header, "1234"), "a.npy").status(),
                StatusCode::DataLoss,
                {"'a.npy' should hold 24 bytes of float32[2,3], but holds 4"});
  expectFailure(parseNpy(npy(header, std::string(25, 'x')), "a.npy").status(),
                StatusCode::DataLoss, {"holds 25; bytes follow its end"});
}

TEST(Npy, RefusesWhatNumpyDoesNotWrite) {
  for (const char *header :
       {"", "{}", "{'descr': '|u1'}", "{'descr': '|u1', 'shape': (1,)",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '|u1', 'fortran_order': Maybe, 'shape': (1,), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1 2), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), } x",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'x': 1}"})
    expectFailure(parseNpy(npy(header, "x"), "a.npy").status(),
                  StatusCode::InvalidArgument, {"the header of 'a.npy'"});
  expectFailure(parseNpy(npy("", "", 4), "a.npy").status(),
                StatusCode::InvalidArgument, {"version 4"});
  expectFailure(parseNpy(toBytes("NUMPY"), "a.npy").status(),
                StatusCode::InvalidArgument, {"is not a .npy file"});
}

TEST(Npy, RefusesShapesThatOverflow) {
  for (const char *shape :
       {"(4611686018427387904, 4)", "(4294967296, 4294967296, 0)"})
    expectFailure(parseNpy(npy("{'descr': '<f8', 'fortran_order': False, "
                               "'shape': " +
                                   std::string(shape) + ", }",
                               ""),
                           "a.npy")
                      .status(),
                  StatusCode::InvalidArgument, {"more than any memory"});
}

TEST(Npy, RefusesBytesThatAreNoBools) {
  expectFailure(parseNpy(npyOfType("|b1", "\2"), "a.npy").status(),
                StatusCode::DataLoss, {"element 0", "the byte 2"});
}

TEST(Npy, RefusesToWriteStrings) {
  expectFailure(saveNpy("/nowhere/a.npy", {{DType::String, {}}, {}}),
                StatusCode::InvalidArgument, {"holds no strings"});
}

TEST(Npy, RefusesToWriteBFloat16) {
  expectFailure(saveNpy("/nowhere/a.npy", {{DType::BFloat16, {}}, {}}),
                StatusCode::InvalidArgument,
                {"cannot write '/nowhere/a.npy'", "holds no bfloat16",
                 "cast it to f32 or f16 in the graph"});
  NamedTensor named{"x", {{DType::BFloat16, {}}, {}}};
  expectFailure(saveNpz("/nowhere/a.npz", {&named, 1}),
                StatusCode::InvalidArgument,
                {"cannot write 'x'", "a .npz file holds no bfloat16"});
}

} // namespace
