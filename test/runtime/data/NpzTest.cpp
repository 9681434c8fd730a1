// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npz archives keep names, order and values, are the same bytes each time, and
// are refused when they lie.
#include "runtime/data/Npy.h"
#include "runtime/data/archive/Zip.h"
#include "test/runtime/data/FileBytes.h"

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

std::vector<NamedTensor> sample() {
  return {{"weights", tensorOf<float>({2, 2}, {1, 2, 3, 4})},
          {"a/bias", tensorOf<int64_t>({1000}, std::vector<int64_t>(1000, 7))},
          {"empty", tensorOf<double>({0}, {})}};
}

/// The archive of the sample, as bytes.
Bytes archive(bool compress) {
  TestDirectory directory;
  EXPECT_TRUE(saveNpz(directory / "x.npz", sample(), compress).isOk());
  return directory.read("x.npz");
}

/// Finds the first place of `text` in the bytes.
size_t find(const Bytes &bytes, std::string_view text, size_t from = 0) {
  return std::string_view(reinterpret_cast<const char *>(bytes.data()),
                          bytes.size())
      .find(text, from);
}

TEST(Npz, RoundTripsStoredAndDeflated) {
  for (bool compress : {false, true}) {
    auto read = parseNpz(archive(compress), "x.npz");
    ASSERT_TRUE(read.isOk()) << read.status().toString();
    std::vector<NamedTensor> expected = sample();
    ASSERT_EQ(read->size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ((*read)[i].name, expected[i].name);
      EXPECT_EQ((*read)[i].tensor.type, expected[i].tensor.type);
      EXPECT_EQ((*read)[i].tensor.bytes, expected[i].tensor.bytes);
    }
  }
  EXPECT_LT(archive(true).size(), archive(false).size() / 2);
}

TEST(Npz, SameTensorsGiveTheSameBytes) {
  EXPECT_EQ(archive(true), archive(true));
}

TEST(Npz, ReadsOneArrayByName) {
  Bytes bytes = archive(true);
  auto bias = parseNpzArray(bytes, "a/bias", "x.npz");
  ASSERT_TRUE(bias.isOk());
  EXPECT_EQ(bias->as<int64_t>()[999], 7);
  expectFailure(parseNpzArray(bytes, "bias", "x.npz").status(),
                StatusCode::NotFound,
                {"no array 'bias'", "'weights', 'a/bias', 'empty'"});
}

TEST(Npz, RefusesANameUsedTwice) {
  std::vector<NamedTensor> twice = {sample()[0], sample()[0]};
  expectFailure(saveNpz("/nowhere/x.npz", twice), StatusCode::InvalidArgument,
                {"'weights' is used twice"});
}

TEST(Npz, ChecksumsAreVerified) {
  Bytes bytes = archive(false);
  // The last element of the first array, before the second member's header.
  bytes[find(bytes, "PK\3\4", 4) - 1] ^= std::byte{1};
  expectFailure(parseNpz(bytes, "x.npz").status(), StatusCode::DataLoss,
                {"the checksum of member 'weights.npy' is wrong"});
}

TEST(Npz, RefusesMembersThatOverlap) {
  Bytes bytes = archive(false);
  // The directory names the largest member a second time.
  size_t second = find(bytes, "PK\1\2", find(bytes, "PK\1\2") + 4);
  size_t third = find(bytes, "PK\1\2", second + 4);
  Bytes entry(bytes.begin() + static_cast<ptrdiff_t>(second),
              bytes.begin() + static_cast<ptrdiff_t>(third));
  size_t end = find(bytes, "PK\5\6");
  bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(end), entry.begin(),
               entry.end());
  end += entry.size();
  bytes[end + 10] = std::byte{4};
  uint32_t size;
  std::memcpy(&size, &bytes[end + 12], 4);
  size += static_cast<uint32_t>(entry.size());
  std::memcpy(&bytes[end + 12], &size, 4);
  expectFailure(listZip(bytes, "x.npz").status(), StatusCode::DataLoss,
                {"its members overlap"});
}

TEST(Npz, RefusesSizesThatDeflateCannotHold) {
  Bytes bytes = archive(true);
  uint32_t huge = 0xfffffff0;
  std::memcpy(&bytes[find(bytes, "PK\1\2") + 24], &huge, 4);
  expectFailure(parseNpz(bytes, "x.npz").status(), StatusCode::DataLoss,
                {"'weights.npy' claims 4294967280 bytes"});
}

TEST(Npz, RefusesOtherMethodsAndEncryption) {
  for (auto [offset, value] : {std::pair(8, 1), std::pair(10, 12)}) {
    Bytes bytes = archive(true);
    bytes[find(bytes, "PK\1\2") + static_cast<size_t>(offset)] =
        static_cast<std::byte>(value);
    expectFailure(parseNpz(bytes, "x.npz").status(),
                  StatusCode::InvalidArgument,
                  {"encrypted or compressed", "numpy.savez"});
  }
}

template <typename T> void put(Bytes &bytes, size_t at, T value) {
  std::memcpy(&bytes[at], &value, sizeof(T));
}

/// The sample's archive as one of more than 4 GiB is written: the sizes of its
/// first member and of its directory stand in zip64 records.
Bytes zip64(uint64_t directoryOffset) {
  Bytes bytes = archive(false);
  size_t first = find(bytes, "PK\1\2"),
         second = find(bytes, "PK\1\2", first + 4);
  uint32_t size;
  std::memcpy(&size, &bytes[first + 24], 4);
  Bytes extra(20);
  put<uint32_t>(extra, 0, 16 << 16 | 1);
  put<uint64_t>(extra, 4, size);
  put<uint64_t>(extra, 12, size);
  put<uint64_t>(bytes, first + 20, UINT64_MAX);
  put<uint16_t>(bytes, first + 30, 20);
  bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(second), extra.begin(),
               extra.end());
  size_t end = find(bytes, "PK\5\6");
  Bytes records(56 + 20);
  put<uint32_t>(records, 0, 0x06064b50);
  put<uint64_t>(records, 32, 3);
  put<uint64_t>(records, 40, end - first);
  put<uint64_t>(records, 48, directoryOffset ? directoryOffset : first);
  put<uint32_t>(records, 56, 0x07064b50);
  put<uint64_t>(records, 64, end);
  put<uint64_t>(bytes, end + 12, UINT64_MAX);
  bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(end), records.begin(),
               records.end());
  return bytes;
}

TEST(Npz, ReadsZip64) {
  auto read = parseNpz(zip64(0), "x.npz");
  ASSERT_TRUE(read.isOk()) << read.status().toString();
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[0].tensor.bytes, sample()[0].tensor.bytes);
  for (uint64_t offset : {uint64_t{1} << 40, UINT64_MAX})
    expectFailure(parseNpz(zip64(offset), "x.npz").status(),
                  StatusCode::DataLoss, {"directory reaches out of the file"});
}

TEST(Npz, DamagedZip64DoesNotCrash) {
  flipAtRandom(zip64(0), 10000,
               [](const Bytes &bytes) { (void)parseNpz(bytes, "x").isOk(); });
}

TEST(Npz, RefusesWhatIsNoArchive) {
  expectFailure(parseNpz(toBytes("PK but no zip"), "x.npz").status(),
                StatusCode::DataLoss, {"'x.npz'", "no directory at its end"});
}

} // namespace
