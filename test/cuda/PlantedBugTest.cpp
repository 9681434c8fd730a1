// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs that a GPU may let pass: each is found, and said where it is.
#include "test/cuda/EmulatedGpu.h"

using namespace graphc::test;

namespace {

class PlantedBugs : public EmulatedGpu {
protected:
  /// One that does not wait for the default stream.
  CUstream createStream() {
    CUstream stream = nullptr;
    EXPECT_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
  }
};

TEST_F(PlantedBugs, MissingBarrier) {
  CUdeviceptr x = upload(numbers(64)), y = allocate(256);
  std::string text = failureOf(kernel("missing_barrier"), 1, 64, {x, y});
  EXPECT_TRUE(contains(text, "kernel 'missing_barrier', line "));
  EXPECT_TRUE(contains(text, "ld.shared.b32"));
}

TEST_F(PlantedBugs, MissingBarrierOfOneWarp) {
  CUdeviceptr x = upload(numbers(32)), y = allocate(128);
  std::string text = failureOf(kernel("missing_barrier"), 1, 32, {x, y});
  EXPECT_TRUE(contains(text, "block 0, thread 0: reads 4 bytes at byte 124 of "
                             "shared memory, which thread 31 of the same block "
                             "writes (line "));
  EXPECT_TRUE(contains(text, "no barrier is between the two"));
}

TEST_F(PlantedBugs, OffByOne) {
  CUdeviceptr x = upload(numbers(100)), y = allocate(400);
  std::string text = failureOf(kernel("off_by_one"), 4, 32, {x, y},
                               CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(contains(text, "block 3, thread 4: writes 4 bytes at 0x"));
  EXPECT_TRUE(contains(text, "0 bytes behind the end of allocation "));
  EXPECT_TRUE(contains(text, "(400 bytes on GPU 0)"));
}

TEST_F(PlantedBugs, RaceBetweenThreads) {
  CUdeviceptr x = upload(numbers(64)), y = allocate(128);
  std::string text = failureOf(kernel("thread_race"), 1, 64, {x, y});
  EXPECT_TRUE(contains(text, "thread 1: writes 4 bytes at byte 0 of "));
  EXPECT_TRUE(contains(text, "which thread 0 of the same block writes"));
}

TEST_F(PlantedBugs, RaceBetweenBlocks) {
  CUdeviceptr x = upload(numbers(64)), y = upload(numbers(32));
  std::string text = failureOf(kernel("block_race"), 2, 32, {x, y});
  EXPECT_TRUE(contains(text, "block 1, thread 0: reads 4 bytes"));
  EXPECT_TRUE(contains(text, "which block 0 writes"));
  EXPECT_TRUE(contains(text, "the blocks of a launch are not ordered"));
}

TEST_F(PlantedBugs, MissingEvent) {
  CUdeviceptr x = upload(numbers(32)), y = upload(numbers(32));
  CUstream compute = createStream(), copies = createStream();
  ASSERT_CUDA(launch(kernel("accumulate"), 1, 32, {x, y}, compute));
  std::vector<float> result(32);
  ASSERT_CUDA(cuMemcpyDtoHAsync_v2(result.data(), y, 128, copies));
  EXPECT_EQ(cuStreamSynchronize(copies), CUDA_ERROR_LAUNCH_FAILED);
  std::string text = graphcEmulatorLastError();
  EXPECT_TRUE(contains(text, "a copy to the host reads 128 bytes"));
  EXPECT_TRUE(contains(text, "which kernel 'accumulate' writes: no event or "
                             "stream orders the two"));
}

TEST_F(PlantedBugs, OverwrittenWhileItIsRead) {
  CUdeviceptr x = upload(numbers(32)), y = upload(numbers(32));
  CUstream compute = createStream(), copies = createStream();
  ASSERT_CUDA(launch(kernel("accumulate"), 1, 32, {x, y}, compute));
  auto next = numbers(32);
  ASSERT_CUDA(cuMemcpyHtoDAsync_v2(x, next.data(), 128, copies));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_TRUE(
      contains(graphcEmulatorLastError(), "which kernel 'accumulate' reads"));
}

TEST_F(PlantedBugs, HostPointer) {
  auto x = numbers(32);
  CUdeviceptr y = upload(x);
  std::string text = failureOf(kernel("accumulate"), 1, 32,
                               {reinterpret_cast<CUdeviceptr>(x.data()), y},
                               CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(contains(text, "thread 0: reads 4 bytes at 0x"));
  EXPECT_TRUE(contains(text, "a pointer to host memory that is not pinned"));
}

TEST_F(PlantedBugs, UseAfterFree) {
  CUdeviceptr x, y = upload(numbers(32));
  ASSERT_CUDA(cuMemAlloc_v2(&x, 128));
  ASSERT_CUDA(cuMemFree_v2(x));
  std::string text = failureOf(kernel("accumulate"), 1, 32, {x, y},
                               CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(contains(text, "in the freed allocation "));
}

TEST_F(PlantedBugs, MisalignedVector) {
  CUdeviceptr x = upload(numbers(128)), y = allocate(1024);
  // As the back end assumes no more than it knows, the access is written here.
  CUfunction store = load(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry misaligned(.param .u64 x, .param .u64 y) {
  .reg .b64 %rd<4>;
  .reg .f32 %f<4>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1+16];
  st.global.v4.f32 [%rd2+4], {%f0, %f1, %f2, %f3};
  ret;
})",
                          "misaligned");
  std::string text =
      failureOf(store, 1, 1, {x, y}, CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_TRUE(contains(text, "line 10 of its PTX (st.global.v4.f32 "));
  EXPECT_TRUE(contains(text, "which is no multiple of 16"));
}

TEST_F(PlantedBugs, UninitialisedRead) {
  CUdeviceptr x = upload(numbers(32)), y = allocate(128);
  std::string text = failureOf(kernel("accumulate"), 1, 32, {x, y});
  EXPECT_TRUE(contains(text, "reads 4 bytes at byte 0 of allocation "));
  EXPECT_TRUE(contains(text, "which nobody has written"));
}

TEST_F(PlantedBugs, DivergentBarrier) {
  CUdeviceptr x = upload(numbers(64, -20)), y = allocate(256);
  std::string text = failureOf(kernel("divergent_barrier"), 1, 64, {x, y});
  EXPECT_TRUE(contains(text, "the barrier is in divergent flow"));
}

TEST_F(PlantedBugs, WarpsAtDifferentBarriers) {
  CUfunction barriers = load(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry barriers() {
  .reg .pred %p;
  .reg .b32 %r;
  mov.u32 %r, %tid.x;
  setp.lt.u32 %p, %r, 32;
  @%p bra FIRST;
  bar.sync 0;
  ret;
FIRST:
  bar.sync 0;
  ret;
})",
                             "barriers");
  std::string text = failureOf(barriers, 1, 64, {});
  EXPECT_TRUE(contains(text, "line 13 of its PTX (bar.sync 0;), block 0, "
                             "thread 0: waits at this barrier while thread 32 "
                             "waits at that of line 10"));
}

TEST_F(PlantedBugs, DivergentShuffle) {
  CUdeviceptr x = upload(numbers(32)), y = allocate(4);
  CUfunction shuffle = load(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry shuffle(.param .u64 x, .param .u64 y) {
  .reg .pred %p;
  .reg .b32 %r<3>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 16;
  @%p bra LATER;
  bar.sync 0;
LATER:
  @!%p bra END;
  shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;
  bar.sync 0;
END:
  ret;
})",
                            "shuffle");
  std::string text = failureOf(shuffle, 1, 32, {x, y});
  EXPECT_TRUE(contains(text, "waits for lanes of its warp (mask 0xffffffff"));
}

TEST_F(PlantedBugs, DoubleFree) {
  CUdeviceptr x;
  ASSERT_CUDA(cuMemAlloc_v2(&x, 128));
  ASSERT_CUDA(cuMemFree_v2(x));
  EXPECT_EQ(cuMemFree_v2(x), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "is freed a second time"));
}

TEST_F(PlantedBugs, Leak) {
  CUcontext own;
  ASSERT_CUDA(cuDevicePrimaryCtxRelease_v2(0));
  ASSERT_CUDA(cuDevicePrimaryCtxRetain(&own, 0));
  CUdeviceptr x;
  ASSERT_CUDA(cuMemAlloc_v2(&x, 640));
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_TRUE(
      contains(graphcEmulatorLastError(), "memory is not freed: allocation "));
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "(640 bytes on GPU 0)"));
  ASSERT_CUDA(cuDevicePrimaryCtxRetain(&own, 0));
}

TEST_F(PlantedBugs, PageableMemoryInACapture) {
  CUdeviceptr x = upload(numbers(32));
  CUstream stream = createStream();
  CUgraph graph;
  ASSERT_CUDA(cuStreamBeginCapture_v2(stream, 0));
  auto next = numbers(32);
  EXPECT_EQ(cuMemcpyHtoDAsync_v2(x, next.data(), 128, stream),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "pageable host memory"));
  EXPECT_EQ(cuStreamEndCapture(stream, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(PlantedBugs, EndlessLoop) {
  CUdeviceptr x = upload(std::vector<float>(1)), y = allocate(4);
  EXPECT_TRUE(contains(failureOf(kernel("endless"), 1, 1, {x, y}),
                       "the loop does not end"));
}

TEST_F(PlantedBugs, VariableOfAnUnloadedModule) {
  const char *text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".global .align 4 .u32 v = 1;\n"
                     ".visible .entry k() { st.global.u32 [v], 2; ret; }\n";
  CUmodule module;
  CUfunction function;
  CUstream stream = createStream();
  CUgraph graph;
  CUgraphExec exec;
  ASSERT_CUDA(cuModuleLoadDataEx(&module, text, 0, nullptr, nullptr));
  ASSERT_CUDA(cuModuleGetFunction(&function, module, "k"));
  ASSERT_CUDA(cuStreamBeginCapture_v2(stream, 0));
  ASSERT_CUDA(launch(function, 1, 1, {}, stream));
  ASSERT_CUDA(cuStreamEndCapture(stream, &graph));
  ASSERT_CUDA(cuGraphInstantiateWithFlags(&exec, graph, 0));
  ASSERT_CUDA(cuModuleUnload(module));
  EXPECT_EQ(launch(function, 1, 1, {}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CUDA(cuGraphLaunch(exec, stream));
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "in the freed variable 'v'"));
}

TEST_F(PlantedBugs, FaultsStick) {
  CUdeviceptr x = upload(numbers(32)), y = allocate(128);
  failureOf(kernel("accumulate"), 1, 32, {x, y});
  EXPECT_EQ(launch(kernel("accumulate"), 1, 32, {x, x}),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_LAUNCH_FAILED);
}

} // namespace
