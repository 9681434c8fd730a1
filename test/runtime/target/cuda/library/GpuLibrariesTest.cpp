// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products and convolutions by libraries, against plain loops.
#include "runtime/target/cuda/library/GpuLibraries.h"
#include "runtime/target/cuda/driver/CudaStream.h"
#include "test/runtime/format/GpuSpecs.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using Floats = std::vector<float>;

namespace {

constexpr uint64_t kWorkspace = 1 << 20;

Floats numbers(size_t count) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((i * 7 + 3) % 11) - 5;
  return values;
}

class GpuLibrariesTest : public testing::Test {
protected:
  void SetUp() override {
    StatusOr<const CudaApi *> api = CudaApi::load();
    ASSERT_TRUE(api.isOk()) << api.status().message();
    auto opened = CudaDevice::open(**api, usableCudaDevices().at(0));
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    device = std::move(*opened);
    libraries = std::make_unique<GpuLibraries>(*device);
  }

  StatusOr<std::unique_ptr<GpuLibraryCall>>
  prepare(const test::GpuStageSpec &stage, uint64_t workspace = kWorkspace) {
    builder.Clear();
    builder.Finish(test::writeGpuKernel(builder, {{stage}, 1, {}, 0}));
    kernel = builder.GetBufferPointer();
    return libraries->prepare(
        *flatbuffers::GetRoot<format::GpuKernel>(kernel)->stages()->Get(0),
        workspace);
  }

  /// Does the stage with these buffers, and gives number `result` of them.
  Floats run(const test::GpuStageSpec &stage, const std::vector<Floats> &values,
             size_t result, uint64_t workspace = kWorkspace) {
    auto call = prepare(stage, workspace);
    EXPECT_TRUE(call.isOk()) << call.status().message();
    auto stream = CudaStream::create(*device);
    std::vector<CudaBuffer> buffers;
    std::vector<cuda::Pointer> pointers;
    for (const Floats &each : values) {
      buffers.push_back(
          CudaBuffer::allocate(*device, each.size() * 4, "a test").value());
      pointers.push_back(buffers.back().address());
      EXPECT_TRUE(
          upload(*device, pointers.back(), std::as_bytes(std::span(each)))
              .isOk());
    }
    buffers.push_back(
        CudaBuffer::allocate(*device, workspace, "a test").value());
    pointers.push_back(buffers.back().address());
    EXPECT_TRUE((*call)->enqueue((*stream)->handle(), pointers.data()).isOk());
    EXPECT_TRUE((*stream)->await().isOk());
    Floats found(values[result].size());
    EXPECT_TRUE(download(*device, std::as_writable_bytes(std::span(found)),
                         pointers[result])
                    .isOk());
    return found;
  }

  std::unique_ptr<CudaDevice> device;
  std::unique_ptr<GpuLibraries> libraries;
  flatbuffers::FlatBufferBuilder builder;
  const uint8_t *kernel = nullptr;
};

Floats product(const test::GpuMatmulSpec &spec, const Floats &a,
               const Floats &b, Floats c, const Floats &bias) {
  using Epilogue = format::GpuEpilogue;
  for (size_t i = 0; i < spec.m; ++i)
    for (size_t j = 0; j < spec.n; ++j) {
      float sum = 0;
      for (size_t p = 0; p < spec.k; ++p)
        sum += a[spec.transposeA ? p * spec.m + i : i * spec.k + p] *
               b[spec.transposeB ? j * spec.k + p : p * spec.n + j];
      float &value = c[i * spec.n + j];
      value = spec.alpha * sum + spec.beta * value;
      if (!bias.empty())
        value += bias[j];
      if (spec.epilogue == Epilogue::Relu ||
          spec.epilogue == Epilogue::BiasRelu)
        value = std::max(value, 0.0f);
    }
  return c;
}

TEST_F(GpuLibrariesTest, ProductsOfAllForms) {
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      for (auto epilogue : format::EnumValuesGpuEpilogue()) {
        test::GpuMatmulSpec spec{5, 3, 7, transposeA, transposeB};
        spec.epilogue = epilogue;
        bool hasBias = epilogue == format::GpuEpilogue::Bias ||
                       epilogue == format::GpuEpilogue::BiasRelu;
        std::vector<Floats> values = {numbers(35), numbers(21), Floats(15)};
        if (hasBias)
          values.push_back(numbers(3));
        EXPECT_EQ(run({spec, {}}, values, 2),
                  product(spec, values[0], values[1], values[2],
                          hasBias ? values[3] : Floats()));
      }
}

TEST_F(GpuLibrariesTest, ProductsAddToWhatIsThere) {
  test::GpuMatmulSpec spec{4, 4, 4};
  spec.alpha = -0.5f;
  spec.beta = 1;
  std::vector<Floats> values = {numbers(16), numbers(16), numbers(16)};
  EXPECT_EQ(run({spec, {}}, values, 2),
            product(spec, values[0], values[1], values[2], {}));
}

test::GpuConvolutionSpec convolution() {
  test::GpuConvolutionSpec spec;
  spec.batch = 2;
  spec.inHeight = 5;
  spec.inWidth = 4;
  spec.inChannels = 3;
  spec.kernelHeight = 3;
  spec.kernelWidth = 2;
  spec.outChannels = 2;
  spec.strideHeight = 2;
  spec.padHeight = spec.padWidth = 1;
  spec.outHeight = 3;
  spec.outWidth = 5;
  return spec;
}

/// Calls `visit(image, filter, result)` with the indices that meet.
template <typename Visitor>
void forEachProduct(const test::GpuConvolutionSpec &s, Visitor visit) {
  for (size_t n = 0; n < s.batch; ++n)
    for (size_t y = 0; y < s.outHeight; ++y)
      for (size_t x = 0; x < s.outWidth; ++x)
        for (size_t k = 0; k < s.outChannels; ++k)
          for (size_t r = 0; r < s.kernelHeight; ++r)
            for (size_t q = 0; q < s.kernelWidth; ++q)
              for (size_t c = 0; c < s.inChannels; ++c) {
                size_t row = y * s.strideHeight + r - s.padHeight;
                size_t column = x * s.strideWidth + q - s.padWidth;
                if (row < s.inHeight && column < s.inWidth)
                  visit(((n * s.inHeight + row) * s.inWidth + column) *
                                s.inChannels +
                            c,
                        ((k * s.kernelHeight + r) * s.kernelWidth + q) *
                                s.inChannels +
                            c,
                        ((n * s.outHeight + y) * s.outWidth + x) *
                                s.outChannels +
                            k);
              }
}

TEST_F(GpuLibrariesTest, Convolutions) {
  test::GpuConvolutionSpec spec = convolution();
  for (auto epilogue : format::EnumValuesGpuEpilogue()) {
    spec.epilogue = epilogue;
    std::vector<Floats> values = {numbers(120), numbers(36), Floats(60)};
    bool hasBias = epilogue == format::GpuEpilogue::Bias ||
                   epilogue == format::GpuEpilogue::BiasRelu;
    bool hasRelu = epilogue == format::GpuEpilogue::Relu ||
                   epilogue == format::GpuEpilogue::BiasRelu;
    if (hasBias)
      values.push_back({4, -8});
    Floats expected(60);
    forEachProduct(spec, [&](size_t image, size_t filter, size_t result) {
      expected[result] += values[0][image] * values[1][filter];
    });
    for (size_t i = 0; i < expected.size(); ++i) {
      expected[i] += hasBias ? values[3][i % 2] : 0;
      expected[i] = hasRelu ? std::max(expected[i], 0.0f) : expected[i];
    }
    EXPECT_EQ(run({spec, {}}, values, 2), expected);
  }
}

TEST_F(GpuLibrariesTest, GradientsOfConvolutions) {
  test::GpuConvolutionSpec spec = convolution();
  spec.kind = format::GpuConvolutionKind::BackwardData;
  std::vector<Floats> values = {numbers(60), numbers(36), Floats(120)};
  Floats images(120), filter(36);
  forEachProduct(spec, [&](size_t image, size_t tap, size_t result) {
    images[image] += values[0][result] * values[1][tap];
  });
  EXPECT_EQ(run({spec, {}}, values, 2), images);
  spec.kind = format::GpuConvolutionKind::BackwardFilter;
  values = {numbers(120), numbers(60), Floats(36)};
  forEachProduct(spec, [&](size_t image, size_t tap, size_t result) {
    filter[tap] += values[0][image] * values[1][result];
  });
  EXPECT_EQ(run({spec, {}}, values, 2), filter);
}

TEST_F(GpuLibrariesTest, AWorkspaceThatIsTooSmallIsAnError) {
  if (std::getenv("GRAPHC_TEST_GPU"))
    GTEST_SKIP() << "the real libraries need none here";
  EXPECT_EQ(prepare({test::GpuMatmulSpec{5, 3, 7}, {}}, 16).status().message(),
            "cuBLASLt has no algorithm for the matrix product 5 x 3 x 7 that "
            "needs at most 16 bytes of workspace");
}

TEST_F(GpuLibrariesTest, AConvolutionMakesAWorkspaceThatThePlanLacks) {
  std::vector<Floats> values = {numbers(120), numbers(36), Floats(60)};
  EXPECT_EQ(run({convolution(), {}}, values, 2, 16),
            run({convolution(), {}}, values, 2));
}

} // namespace
