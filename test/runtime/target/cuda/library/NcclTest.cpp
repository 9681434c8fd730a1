// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over GPUs by NCCL, and what the emulated one finds wrong.
#include "runtime/target/cuda/driver/CudaMemory.h"
#include "runtime/target/cuda/library/NcclGroup.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using Floats = std::vector<float>;

namespace {

constexpr size_t kCount = 3;
constexpr size_t kBytes = kCount * sizeof(float);

/// A GPU with a term and a place for the sum.
struct Rank {
  explicit Rank(const CudaDeviceFacts &facts) {
    device = CudaDevice::open(**CudaApi::load(), facts).value();
    stream = CudaStream::create(*device).value();
    source = CudaBuffer::allocate(*device, kBytes, "a term").value();
    target = CudaBuffer::allocate(*device, kBytes, "a sum").value();
    ready = CudaEvent::create(*device).value();
    done = CudaEvent::create(*device).value();
  }

  NcclTerm term() const {
    return {source.address(), target.address(), ready->handle(),
            done->handle()};
  }

  /// Fills the term with the number `bits`, after which it is ready.
  void fill(uint32_t bits, bool isRecorded) {
    EXPECT_TRUE(device->makeCurrent().isOk());
    const CudaApi &api = device->api();
    EXPECT_EQ(
        api.fillWordsAsync(source.address(), bits, kCount, stream->handle()),
        0);
    if (isRecorded)
      EXPECT_EQ(api.eventRecord(ready->handle(), stream->handle()), 0);
  }

  /// Waits for the sum; returns the contents of the target.
  StatusOr<Floats> sum() {
    GRAPHC_TRY(device->makeCurrent());
    GRAPHC_TRY(device->check(
        device->api().streamWaitEvent(stream->handle(), done->handle(), 0),
        "waiting"));
    GRAPHC_TRY(stream->await());
    Floats values(kCount);
    GRAPHC_TRY(download(*device, std::as_writable_bytes(std::span(values)),
                        target.address()));
    return values;
  }

  std::unique_ptr<CudaDevice> device;
  std::unique_ptr<CudaStream> stream;
  CudaBuffer source, target;
  std::shared_ptr<CudaEvent> ready, done;
};

class NcclTest : public testing::Test {
protected:
  void SetUp() override {
    std::vector<CudaDeviceFacts> facts = usableCudaDevices();
    if (facts.size() < 3)
      GTEST_SKIP() << "three GPUs are needed";
    for (size_t i = 0; i < 3; ++i)
      ranks.emplace_back(facts[i]);
  }

  std::vector<const CudaDevice *> devices() const {
    std::vector<const CudaDevice *> all;
    for (const Rank &rank : ranks)
      all.push_back(rank.device.get());
    return all;
  }

  std::vector<NcclTerm> terms() const {
    std::vector<NcclTerm> all;
    for (const Rank &rank : ranks)
      all.push_back(rank.term());
    return all;
  }

  std::vector<Rank> ranks;
};

/// The emulated library alone finds mistakes of those who call it.
#define NEEDS_EMULATOR()                                                       \
  if (std::getenv("GRAPHC_TEST_GPU"))                                          \
  GTEST_SKIP() << "a real library may hang"

constexpr uint32_t kOne = 0x3f800000, kTwo = 0x40000000;

TEST_F(NcclTest, AddsUpInAllTargets) {
  NcclGroups groups;
  NcclGroup *group = groups.find(devices()).value();
  EXPECT_EQ(groups.find(devices()).value(), group);
  for (uint32_t last : {kOne, kTwo}) {
    ranks[0].fill(kOne, true);
    ranks[1].fill(kTwo, true);
    ranks[2].fill(last, true);
    ASSERT_TRUE(group->sum(terms(), kCount).isOk());
    for (Rank &rank : ranks)
      EXPECT_EQ(rank.sum().value(), Floats(kCount, last == kOne ? 4 : 5));
  }
}

TEST_F(NcclTest, SumsComeBehindTheirTerms) {
  NEEDS_EMULATOR();
  auto group = NcclGroup::create(devices()).value();
  for (Rank &rank : ranks)
    rank.fill(kOne, &rank != &ranks[1]);
  // Each device is checked, and fails, for itself.
  (void)group->sum(terms(), kCount).isOk();
  EXPECT_FALSE(ranks[0].sum().isOk());
}

TEST_F(NcclTest, GivesUpWhenAGpuFails) {
  NEEDS_EMULATOR();
  auto group = NcclGroup::create(devices()).value();
  EXPECT_TRUE(group->look());
  // A copy of bytes that nobody has written is a fault here.
  (void)ranks[2].sum().isOk();
  EXPECT_FALSE(group->look());
  EXPECT_EQ(group->sum(terms(), kCount).message(),
            "an earlier all-reduce failed in NCCL; start again from a "
            "checkpoint");
}

TEST_F(NcclTest, RefusesTwoRanksOnOneGpu) {
  NEEDS_EMULATOR();
  std::vector<const CudaDevice *> twice = {ranks[0].device.get(),
                                           ranks[0].device.get()};
  EXPECT_EQ(NcclGroup::create(twice).status().message(),
            "the start of all-reduce between 2 GPUs failed in NCCL with "
            "'invalid usage'; NCCL_DEBUG=WARN says more, GRAPHC_NCCL=none does "
            "without it");
}

/// The library itself, with a communicator of two ranks.
class NcclMisuseTest : public NcclTest {
protected:
  void SetUp() override {
    NEEDS_EMULATOR();
    NcclTest::SetUp();
    const int numbers[] = {0, 1};
    ASSERT_EQ(api.commInitAll(comms, 2, numbers), 0);
  }
  void TearDown() override {
    for (nccl::Comm comm : comms)
      if (comm)
        api.commDestroy(comm);
  }

  nccl::Result reduce(size_t rank, size_t count, size_t offset = SIZE_MAX) {
    cuda::Pointer source = ranks[rank].source.address();
    cuda::Pointer target =
        offset == SIZE_MAX ? ranks[rank].target.address() : source + offset;
    return api.allReduce(reinterpret_cast<void *>(source),
                         reinterpret_cast<void *>(target), count,
                         nccl::kFloat32, nccl::kSum, comms[rank],
                         ranks[rank].stream->handle());
  }

  const Nccl &api = **Nccl::load();
  nccl::Comm comms[2] = {};
};

TEST_F(NcclMisuseTest, ARankIsMissing) {
  ASSERT_EQ(api.groupStart(), 0);
  EXPECT_EQ(reduce(0, kCount), 0);
  EXPECT_NE(api.groupEnd(), 0);
}

TEST_F(NcclMisuseTest, CountsDiffer) {
  ASSERT_EQ(api.groupStart(), 0);
  EXPECT_EQ(reduce(0, kCount), 0);
  EXPECT_EQ(reduce(1, kCount - 1), 0);
  EXPECT_NE(api.groupEnd(), 0);
}

TEST_F(NcclMisuseTest, SourceAndTargetOverlap) {
  ASSERT_EQ(api.groupStart(), 0);
  EXPECT_EQ(reduce(0, 2, sizeof(float)), 0);
  EXPECT_EQ(reduce(1, 2), 0);
  EXPECT_NE(api.groupEnd(), 0);
}

TEST_F(NcclMisuseTest, NoGroupIsOpen) {
  EXPECT_NE(reduce(0, kCount), 0);
  EXPECT_NE(api.groupEnd(), 0);
}

} // namespace
