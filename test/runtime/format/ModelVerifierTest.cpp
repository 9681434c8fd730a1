// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule of the verifier that does not concern graphs refuses a file that
// breaks this rule only.
#include "runtime/format/FileHeader.h"
#include "test/runtime/format/Refusal.h"

#include <cmath>
#include <cstring>

using namespace graphc;
using namespace graphc::test;

namespace {

/// A sample with 8 bytes of the header replaced.
Bytes withHeader(size_t offset, uint64_t value) {
  Bytes bytes = makeSampleModel().finish();
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
  return bytes;
}

TEST(Header, HasExactSizes) {
  using format::FileHeader;
  expectRefusal(withHeader(offsetof(FileHeader, fileSize), 1000),
                "but its header says 1000");
  for (auto [offset, value] :
       {std::pair<size_t, uint64_t>{offsetof(FileHeader, indexOffset), 128},
        {offsetof(FileHeader, indexSize), 65},
        {offsetof(FileHeader, indexSize), UINT64_MAX - 63},
        {offsetof(FileHeader, headerDigest), 1}})
    expectRefusal(withHeader(offset, value), "its header is wrong");
  expectRefusal(withHeader(offsetof(FileHeader, digest), 1), "the digest");
}

TEST(Header, CutWithinItself) {
  Bytes bytes = makeSampleModel().finish();
  bytes.resize(40);
  expectRefusal(bytes, "it ends within its header, after 40 bytes");
}

TEST(Index, IsAFlatBuffer) {
  Bytes bytes = makeSampleModel().finish();
  bytes[64] ^= std::byte{0xff};
  restampDigest(bytes);
  expectRefusal(bytes, "its index is no valid FlatBuffer");
  bytes = makeSampleModel().finish();
  bytes[68] ^= std::byte{1}; // the file identifier
  restampDigest(bytes);
  expectRefusal(bytes, "its index is no valid FlatBuffer");
}

/// A file whose index names one graph so many times, which names one feed as
/// often.
Bytes withRepeated(size_t times) {
  flatbuffers::FlatBufferBuilder b;
  auto type = format::CreateTensorTypeDirect(b, format::DType::Float32);
  auto feed = format::CreatePortDirect(b, "x", type);
  std::vector feeds(times, feed);
  std::vector<flatbuffers::Offset<format::Port>> fetches;
  std::vector<flatbuffers::Offset<format::Program>> programs;
  auto graph = format::CreateGraphDirect(b, "g", &feeds, &fetches, &programs);
  std::vector graphs(times, graph);
  std::vector<flatbuffers::Offset<format::Variable>> variables;
  std::vector<flatbuffers::Offset<format::Dataset>> datasets;
  std::vector<flatbuffers::Offset<format::Kernel>> kernels;
  std::vector<flatbuffers::Offset<format::Executable>> executables;
  std::vector<flatbuffers::Offset<format::Device>> devices;
  format::FinishModelBuffer(
      b,
      format::CreateModelDirect(b, "test", nullptr, nullptr, nullptr,
                                &variables, &datasets, &kernels, &executables,
                                &graphs, nullptr, nullptr, nullptr, &devices));
  size_t indexSize = format::alignUp(b.GetSize());
  Bytes file(sizeof(format::FileHeader) + indexSize);
  std::memcpy(file.data() + sizeof(format::FileHeader), b.GetBufferPointer(),
              b.GetSize());
  format::sealFile(file, indexSize);
  return file;
}

/// An index may be walked many times over, but not without end: 16 tables for
/// each of its bytes.
TEST(Index, IsWalkedSoOften) {
  Bytes often = withRepeated(70); // 9,870 tables in 800 bytes
  EXPECT_EQ(refusal(often).find("no valid FlatBuffer"), std::string::npos)
      << often.size() << refusal(often);
  expectRefusal(withRepeated(140), "its index is no valid FlatBuffer");
}

TEST(Variables, HaveNamesAndNumericTypes) {
  ModelBuilder model = makeSampleModel();
  model.addVariable("w", {DType::Float32, {}});
  expectRefusal(model, "variable 'w': its name is used twice");
  model = makeSampleModel();
  model.addVariable("", {DType::Float32, {}});
  expectRefusal(model, "variable '': its name is empty");
  model = makeSampleModel();
  model.addVariable("s", {DType::String, {}});
  expectRefusal(model, "it cannot have the type string");
  model = makeSampleModel();
  model.addVariable("s", {static_cast<DType>(99), {}});
  expectRefusal(model, "element type 99 is not known");
}

TEST(Shapes, StayBelowTheLimit) {
  constexpr int64_t k2To38 = int64_t(1) << 38;
  auto withShape = [](std::vector<int64_t> shape) {
    ModelBuilder model = makeSampleModel();
    model.addVariable("v", {DType::Float32, std::move(shape)});
    return model;
  };
  EXPECT_EQ(refusal(withShape({k2To38})), "accepted");
  EXPECT_EQ(refusal(withShape({0, 5})), "accepted");
  expectRefusal(withShape({k2To38 + 1}), "variable 'v': a shape has more than");
  expectRefusal(withShape({-1}), "dimension -1 is negative");
  // Zero elements, but a product on the way would overflow.
  expectRefusal(withShape({INT64_MAX, INT64_MAX, 0}), "more than");
  expectRefusal(withShape({0, INT64_MAX, INT64_MAX}), "more than");
  expectRefusal(withShape(std::vector<int64_t>(33, 1)), "33 dimensions");
}

TEST(Datasets, AreReadAsACompilerWrites) {
  auto changed = [](auto change) {
    ModelBuilder model = makeSampleModel();
    ModelDataset other{"other", {{"a", {DType::Float32, {4}}}}};
    other.fields.push_back({"valid", {DType::Float32, {}}});
    other.shuffleBuffer = 10;
    other.minAfterDequeue = 4;
    other.mask = 1;
    other.transforms = {{0, {1, 2}}, {0, {}}};
    change(other);
    model.addDataset(other);
    return model;
  };
  using D = ModelDataset;
  EXPECT_EQ(refusal(changed([](D &) {})), "accepted");
  for (int64_t left : {-2, 10})
    expectRefusal(changed([&](D &d) { d.minAfterDequeue = left; }),
                  "its min_after_dequeue is not below its shuffle buffer");
  for (auto member : {&D::cycleLength, &D::blockLength, &D::cache})
    expectRefusal(changed([&](D &d) { d.*member = -1; }),
                  "its cycle_length or block_length is below 1");
  for (DType half : {DType::Float16, DType::BFloat16})
    expectRefusal(
        changed([&](D &d) { d.fields.push_back({"half", {half, {}}}); }),
        "a field has elements of a type that no file");
  for (int32_t mask : {-2, 2})
    expectRefusal(changed([&](D &d) { d.mask = mask; }), "its mask is field");
  expectRefusal(changed([](D &d) { d.mask = 0; }), "its mask is no scalar");
  expectRefusal(changed([](D &d) { d.transforms[1].field = 2; }),
                "transform 'random_crop': it changes field 2 of 2");
  expectRefusal(changed([](D &d) { d.transforms[0].numbers[0] = NAN; }),
                "one of its numbers is not finite");
  expectRefusal(changed([](D &d) { d.transforms[0].numbers.resize(17); }),
                "it has 17 numbers");
  expectRefusal(changed([](D &d) { d.transforms.resize(257); }),
                "it has 257 transforms");
}

TEST(Datasets, HaveFieldsAndCounts) {
  auto changed = [](auto change) {
    ModelBuilder model = makeSampleModel();
    ModelDataset other{"other", {{"a", {DType::Float32, {4}}}}};
    change(other);
    model.addDataset(other);
    return model;
  };
  EXPECT_EQ(refusal(changed([](ModelDataset &) {})), "accepted");
  expectRefusal(changed([](ModelDataset &d) { d.name = "digits"; }),
                "dataset 'digits': its name is used twice");
  expectRefusal(changed([](ModelDataset &d) { d.fields.clear(); }),
                "dataset 'other': it has no field");
  expectRefusal(
      changed([](ModelDataset &d) { d.fields.push_back(d.fields[0]); }),
      "field 'a': its name is used twice");
  expectRefusal(
      changed([](ModelDataset &d) { d.fields[0].type.dtype = DType::String; }),
      "it cannot have the type string");
  expectRefusal(changed([](ModelDataset &d) { d.batch = 0; }),
                "its batch is 0; it must be at least 1");
  expectRefusal(changed([](ModelDataset &d) { d.batch = INT64_MAX; }),
                "its batch has more than");
  for (auto member : {&ModelDataset::shuffleBuffer, &ModelDataset::repeat,
                      &ModelDataset::prefetch})
    expectRefusal(changed([&](ModelDataset &d) { d.*member = -1; }),
                  "is negative");
  for (auto member : {&ModelDataset::shuffleBuffer, &ModelDataset::prefetch})
    expectRefusal(changed([&](ModelDataset &d) { d.*member = INT64_MAX; }),
                  "its shuffle buffer or prefetch has more than");
  expectRefusal(changed([](ModelDataset &d) {
                  for (int i = 0; i < 3; ++i)
                    d.fields.push_back({"f" + std::to_string(i),
                                        {DType::UInt8, {int64_t(1) << 39}}});
                }),
                "one example has more than");
}

TEST(Kernels, HaveWorkWithinBounds) {
  auto changed = [](auto change) {
    ModelBuilder model = makeSampleModel();
    change(model.kernels[0]);
    return model;
  };
  expectRefusal(changed([](KernelSpec &k) { k.units = 0; }),
                "kernel 'scale': it has 0 units");
  expectRefusal(
      changed([](KernelSpec &k) { k.scratchBytes = (uint64_t(1) << 32) + 1; }),
      "bytes of scratch");
  expectRefusal(changed([](KernelSpec &k) { k.flops = NAN; }), "estimate");
  expectRefusal(changed([](KernelSpec &k) { k.bytes = INFINITY; }), "estimate");
  expectRefusal(changed([](KernelSpec &k) { k.bytes = -1; }), "estimate");
  expectRefusal(changed([](KernelSpec &k) { k.name = ""; }),
                "kernel '': its name is empty");
}

TEST(Images, HaveCodeForEachKernel) {
  ModelBuilder model = makeSampleModel();
  model.images["armv9"] = model.images[kV3];
  expectRefusal(model, "image 'armv9': this level of CPU is not known");
  model = makeSampleModel();
  model.images[kV4].entries.push_back(0);
  expectRefusal(model, "image 'x86-64-v4': it has 2 entries but there are 1");
  model = makeSampleModel();
  model.images[kV3].entries[0] = model.images[kV3].code.size();
  expectRefusal(model, "the entry of kernel 'scale' lies after the code");
  model = makeSampleModel();
  model.images.clear();
  expectRefusal(model, "it has kernels but no machine code");
}

TEST(Blobs, LieApartBehindTheIndex) {
  ModelBuilder model = makeSampleModel();
  SlotSpec &two = model.graphs[1].slots[4];
  ASSERT_EQ(two.name, "two");
  uint64_t end = model.finish().size();
  auto withBlob = [&](uint64_t offset, uint64_t size) {
    two.blob = format::Blob(offset, size);
    return model;
  };
  expectRefusal(withBlob(end + 64, 24), "ends after the file's end");
  expectRefusal(withBlob(end - 64, UINT64_MAX), "ends after the file's end");
  expectRefusal(withBlob(end - 32, 24), "is not aligned to 64 bytes");
  expectRefusal(withBlob(64, 24), "lies in the header or the index");
  expectRefusal(withBlob(0, 24), "slot %4 'two': the blob of 24 bytes at 0");
  auto valid = runtime::Model::fromBytes(makeSampleModel().finish(), "test");
  ASSERT_TRUE(valid.isOk());
  uint64_t source = (*valid)->index().source()->offset();
  expectRefusal(withBlob(source, 24), "overlaps another blob");
}

TEST(Messages, CannotSteerATerminal) {
  ModelBuilder model = makeSampleModel();
  model.kernels[0].name = "a\x1b[2J\n";
  model.kernels[0].units = 0;
  expectRefusal(model, "kernel 'a\\x1b[2J\\x0a'");
}

} // namespace
