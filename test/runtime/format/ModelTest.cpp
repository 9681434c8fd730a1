// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening a model: what a good file gives, and what is no file of ours.
#include "runtime/format/FileHeader.h"
#include "test/runtime/format/Refusal.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace graphc;
using namespace graphc::test;
using runtime::Model;
using runtime::StatusCode;

namespace {

/// A path in a fresh directory that vanishes with the test.
class ModelFile : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "graphc-model-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory = pattern;
    path = directory + "/model.bin";
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  void write(const Bytes &bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  void expectFailure(StatusCode code, const std::string &part) {
    auto model = Model::open(path);
    ASSERT_FALSE(model.isOk());
    EXPECT_EQ(model.status().code(), code);
    EXPECT_NE(model.status().message().find(part), std::string::npos)
        << model.status().message();
    EXPECT_NE(model.status().message().find(path), std::string::npos);
  }

  std::string directory, path;
};

TEST_F(ModelFile, OpensWhatTheBuilderWrote) {
  Bytes bytes = makeSampleModel().finish();
  write(bytes);
  auto opened = Model::open(path);
  ASSERT_TRUE(opened.isOk()) << opened.status().message();
  const Model &model = **opened;
  EXPECT_EQ(model.name(), path);
  EXPECT_EQ(model.size(), bytes.size());
  EXPECT_EQ(model.index().producer()->str(), "graphc test");
  EXPECT_EQ(model.digest(),
            format::digestOf(std::span<const std::byte>(bytes).subspan(64)));
  ASSERT_NE(model.findGraph("train"), nullptr);
  EXPECT_EQ(model.findGraph("train")->feeds()->Get(0)->name()->str(), "x");
  EXPECT_EQ(model.findGraph("predict"), nullptr);
}

TEST_F(ModelFile, NamesWhatIsNotAModel) {
  expectFailure(StatusCode::NotFound, "there is no such file");
  write({});
  expectFailure(StatusCode::InvalidArgument, "it is empty");
  write(bytesOf(std::vector<char>(200, 'x')));
  expectFailure(StatusCode::InvalidArgument, "this is not a model.bin");
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  expectFailure(StatusCode::InvalidArgument, "it is a directory");
}

TEST_F(ModelFile, DoesNotWaitForTheWriterOfAPipe) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  expectFailure(StatusCode::InvalidArgument, "no regular file");
}

TEST_F(ModelFile, RefusesAFileCutShort) {
  Bytes bytes = makeSampleModel().finish();
  write(bytes);
  std::filesystem::resize_file(path, bytes.size() / 2);
  expectFailure(StatusCode::DataLoss, "but its header says");
}

TEST(Model, GivesBlobsAtAlignedAddresses) {
  ModelBuilder builder = makeSampleModel();
  auto model = Model::fromBytes(builder.finish(), "test");
  ASSERT_TRUE(model.isOk()) << model.status().message();
  auto source = (*model)->blob(*(*model)->index().source());
  EXPECT_EQ(
      std::string(reinterpret_cast<const char *>(source.data()), source.size()),
      builder.source);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(source.data()) % 64, 0u);
  EXPECT_TRUE((*model)->blob(format::Blob(1u << 30, 1)).empty());
  EXPECT_TRUE((*model)->blob(format::Blob(64, UINT64_MAX)).empty());
}

TEST(Model, NamesBothVersionsOfAnotherFormat) {
  Bytes bytes = makeSampleModel().finish();
  uint32_t major = 7;
  std::memcpy(bytes.data() + offsetof(format::FileHeader, formatMajor), &major,
              sizeof(major));
  auto model = Model::fromBytes(bytes, "test");
  ASSERT_FALSE(model.isOk());
  EXPECT_EQ(model.status().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(model.status().message(),
            "model file 'test': it has format version 7.5 but this program "
            "reads 2.5; recompile the model with this graphc");
}

TEST(Model, RefusesALaterMinorVersion) {
  Bytes bytes = makeSampleModel().finish();
  bytes[offsetof(format::FileHeader, formatMinor)] = std::byte{6};
  expectRefusal(bytes, "it has format version 2.6");
}

TEST(Model, ReadsAnEarlierMinorVersion) {
  Bytes bytes = makeSampleModel().finish();
  format::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.formatMinor = 0;
  header.headerDigest = format::headerDigestOf(header);
  std::memcpy(bytes.data(), &header, sizeof(header));
  EXPECT_EQ(refusal(bytes), "accepted");
}

TEST(TensorTypes, AreTheRuntimesOwn) {
  auto model = Model::fromBytes(makeSampleModel().finish(), "test");
  ASSERT_TRUE(model.isOk());
  const auto &fields = *(*model)->index().datasets()->Get(0)->fields();
  EXPECT_EQ(runtime::toTensorType(*fields[0]->type()),
            (TensorType{DType::Float32, {3}}));
  EXPECT_EQ(runtime::toTensorType(*fields[1]->type()),
            (TensorType{DType::Int64, {}}));
}

} // namespace
