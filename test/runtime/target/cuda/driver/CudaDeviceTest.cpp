// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU, its memory, and graphs of its streams.
#include "runtime/target/cuda/driver/CudaMemory.h"
#include "runtime/target/cuda/driver/CudaStream.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

class CudaDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    StatusOr<const CudaApi *> loaded = CudaApi::load();
    ASSERT_TRUE(loaded.isOk()) << loaded.status().message();
    api = *loaded;
    auto opened = CudaDevice::open(*api, usableCudaDevices().at(0));
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    device = std::move(*opened);
  }

  const CudaApi *api = nullptr;
  std::unique_ptr<CudaDevice> device;
};

TEST_F(CudaDeviceTest, FactsAreAsTutorialsShowThem) {
  CudaDeviceFacts facts;
  facts.number = 1;
  facts.model = "Tesla K20c";
  facts.pciBusId = "0000:01:00.0";
  facts.capability = 35;
  EXPECT_EQ(facts.describe().toString(),
            "device: 1, name: Tesla K20c, pci bus id: "
            "0000:01:00.0, compute capability: 3.5");
  EXPECT_GE(device->facts().capability, 80);
  EXPECT_GT(device->facts().bytes, 0u);
  EXPECT_EQ(cudaVersionText(12040), "12.4");
}

TEST_F(CudaDeviceTest, MemoryKeepsWhatIsCopiedThere) {
  auto buffer = CudaBuffer::allocate(*device, 16, "a test");
  ASSERT_TRUE(buffer.isOk());
  std::vector<std::byte> bytes(16, std::byte{7}), back(16);
  ASSERT_TRUE(upload(*device, buffer->address(), bytes).isOk());
  ASSERT_TRUE(download(*device, back, buffer->address()).isOk());
  EXPECT_EQ(back, bytes);
  ASSERT_TRUE(buffer->clear().isOk());
  ASSERT_TRUE(download(*device, back, buffer->address()).isOk());
  EXPECT_EQ(back, std::vector<std::byte>(16));
}

TEST_F(CudaDeviceTest, MemoryIsFreedWithItsOwner) {
  constexpr size_t kBytes = 64 << 20;
  uint64_t before = *device->freeBytes();
  {
    auto buffer = CudaBuffer::allocate(*device, kBytes, "a test");
    ASSERT_TRUE(buffer.isOk());
    CudaBuffer moved = std::move(*buffer);
    EXPECT_LE(*device->freeBytes(), before - kBytes);
  }
  EXPECT_EQ(*device->freeBytes(), before);
}

TEST_F(CudaDeviceTest, TooMuchMemoryIsRefused) {
  Status status =
      CudaBuffer::allocate(*device, size_t{1} << 50, "a test").status();
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_TRUE(status.message().starts_with("GPU 0 (")) << status.message();
  EXPECT_TRUE(status.message().ends_with(
      "allocating 1125899906842624 bytes for a test failed with "
      "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"))
      << status.message();
}

TEST_F(CudaDeviceTest, AGraphDoesAgainWhatWasCaptured) {
  auto buffer = CudaBuffer::allocate(*device, 4, "a test");
  auto host = PinnedBuffer::allocate(*device, 4, "a test");
  auto stream = CudaStream::create(*device);
  ASSERT_TRUE(buffer.isOk() && host.isOk() && stream.isOk());
  auto graph = (*stream)->capture([&] {
    GRAPHC_TRY(
        device->check(api->copyToDeviceAsync(buffer->address(), host->data(), 4,
                                             (*stream)->handle()),
                      "the copy"));
    return device->check(api->copyToHostAsync(host->data(), buffer->address(),
                                              4, (*stream)->handle()),
                         "the copy");
  });
  ASSERT_TRUE(graph.isOk()) << graph.status().message();
  std::vector<std::byte> back(4);
  for (int value : {3, 4}) {
    host->data()[0] = std::byte(value);
    ASSERT_EQ(api->graphLaunch(graph->handle(), (*stream)->handle()),
              cuda::kSuccess);
    ASSERT_TRUE((*stream)->await().isOk());
    ASSERT_TRUE(download(*device, back, buffer->address()).isOk());
    EXPECT_EQ(back[0], std::byte(value));
  }
}

TEST_F(CudaDeviceTest, AFailedCaptureLeavesTheStreamUsable) {
  auto stream = CudaStream::create(*device);
  ASSERT_TRUE(stream.isOk());
  Status status =
      (*stream)->capture([] { return internalError("not now"); }).status();
  EXPECT_EQ(status.message(), "not now");
  EXPECT_TRUE((*stream)->await().isOk());
}

} // namespace
