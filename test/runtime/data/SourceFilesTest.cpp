// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that become shorter, vanish or may not be read while they are a source:
// errors with their names, never a signal.
#include "runtime/data/ExampleRows.h"
#include "runtime/data/fields/Fingerprint.h"
#include "runtime/data/image/ResizeImage.h"
#include "runtime/data/source/KeptRows.h"
#include "runtime/data/source/SourceFormat.h"
#include "test/runtime/data/FileBytes.h"

#include <unistd.h>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

class SourceFilesTest : public testing::Test {
protected:
  StatusOr<std::unique_ptr<ExampleRows>> open(const std::string &files,
                                              TensorType type) {
    spec.name = "data";
    spec.fields = {{"x", std::move(type)}};
    GRAPHC_ASSIGN_OR_RETURN(DatasetFiles parsed, parseDatasetFiles(files));
    return openRows(spec, parsed);
  }
  /// The failure of reading one row.
  Status read(const ExampleRows &rows, int64_t row) {
    std::vector<std::byte> bytes(spec.fields[0].type.numBytes());
    std::byte *place = bytes.data();
    return rows.gather(std::span(&row, 1), std::span(&place, 1));
  }

  TestDirectory directory;
  DatasetSpec spec;
};

TEST_F(SourceFilesTest, AnArrayThatIsCutIsAnError) {
  // Large enough to stay on disk; the elements are a hole of the file.
  constexpr uint32_t kRows = 70'000, kWidth = 1'000;
  std::string header("\0\0\x08\2", 4);
  for (uint32_t size : {kRows, kWidth})
    for (int shift = 24; shift >= 0; shift -= 8)
      header += static_cast<char>(size >> shift);
  std::string path = directory.write("x", header);
  std::filesystem::resize_file(path, 12 + uint64_t{kRows} * kWidth);
  auto rows = open(path, {DType::UInt8, {kWidth}});
  ASSERT_TRUE(rows.isOk()) << rows.status().toString();
  EXPECT_TRUE(read(**rows, kRows - 1).isOk());
  std::filesystem::resize_file(path, 1'000'000);
  EXPECT_TRUE(read(**rows, 5).isOk());
  expectFailure(read(**rows, kRows - 1), StatusCode::DataLoss,
                {"x' ends at byte ", "it was cut while it was read"});
  // Of one that is shorter from the start the header tells.
  expectFailure(open(path, {DType::UInt8, {kWidth}}).status(),
                StatusCode::DataLoss, {"should hold 70000000 bytes"});
}

TEST_F(SourceFilesTest, AnImageThatVanishesIsAnError) {
  std::filesystem::create_directory(directory / "cats");
  std::string path = directory.write("cats/a.jpg", "no image");
  std::string folder = std::filesystem::path(directory / "cats").parent_path();
  auto rows = open(folder, {DType::UInt8, {2, 2, 3}});
  ASSERT_TRUE(rows.isOk()) << rows.status().toString();
  expectFailure(read(**rows, 0), StatusCode::InvalidArgument,
                {"cats/a.jpg' has bytes that are neither a JPEG nor a PNG"});
  directory.write("cats/a.jpg", "\xff\xd8\xff\xe0 and no more");
  expectFailure(read(**rows, 0), StatusCode::DataLoss,
                {"cats/a.jpg' has a JPEG image that is damaged: "});
  std::filesystem::remove(path);
  expectFailure(read(**rows, 0), StatusCode::NotFound,
                {"cannot read '", "cats/a.jpg': No such file"});
  EXPECT_FALSE(open(directory / "none", {DType::UInt8, {1}}).isOk());
}

TEST_F(SourceFilesTest, AFileWithoutRightsIsAnError) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root may read everything";
  std::string path = directory.write("x.csv", "1\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  expectFailure(open(path, {DType::Float32, {}}).status(),
                StatusCode::PermissionDenied,
                {"x.csv", "check the permissions"});
}

TEST_F(SourceFilesTest, EachFormatHasItsName) {
  std::vector<std::string_view> names;
  for (const SourceFormat *format : sourceFormats()) {
    EXPECT_EQ(namedFormat(format->name()), format);
    names.push_back(format->name());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(Fingerprint, IsThatOfFarmHash) {
  // By tf.strings.to_hash_bucket_fast with 2^63 - 1 buckets.
  std::string text;
  for (int i = 0; i < 6; ++i)
    text += "abcdefghijklmnopqrstuvwxyz0123456789";
  for (auto [size, hash] :
       std::vector<std::pair<size_t, uint64_t>>{{0, 1936946117179621456},
                                                {3, 2640714258260161385},
                                                {7, 4341691227789030229},
                                                {16, 6080716761534418621},
                                                {32, 934449955909727258},
                                                {64, 3646545258579766308},
                                                {65, 3889391544646074892},
                                                {128, 2056131915184924913},
                                                {200, 3225094344678046759}})
    EXPECT_EQ(fingerprint64(std::string_view(text).substr(0, size)) % INT64_MAX,
              hash)
        << size;
}

TEST(ResizeImage, PlacesCornersAsItsRuleSays) {
  const uint8_t row[] = {0, 100, 200, 40};
  ImageView view{reinterpret_cast<const std::byte *>(row), 1, 4, 1, 4};
  auto resized = [&](Resizing rule, int64_t width) {
    std::vector<uint8_t> out(static_cast<size_t>(width));
    resizeImage(view, rule, 1, width,
                reinterpret_cast<std::byte *>(out.data()));
    return out;
  };
  using Row = std::vector<uint8_t>;
  EXPECT_EQ(resized(Resizing::Bilinear, 2), (Row{50, 120}));
  EXPECT_EQ(resized(Resizing::BilinearTf1, 2), (Row{0, 200}));
  EXPECT_EQ(resized(Resizing::Bilinear, 8),
            (Row{0, 25, 75, 125, 175, 160, 80, 40}));
  EXPECT_EQ(resized(Resizing::BilinearTf1, 8),
            (Row{0, 50, 100, 150, 200, 120, 40, 40}));
  EXPECT_EQ(resized(Resizing::Nearest, 2), (Row{100, 40}));
  EXPECT_EQ(resized(Resizing::NearestTf1, 2), (Row{0, 200}));
}

} // namespace
