// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events, capture and replay: what is ordered, and what is not.
#include "test/cuda/EmulatedGpu.h"

#include <thread>

using namespace graphc::test;

namespace {

class Streams : public EmulatedGpu {
protected:
  void SetUp() override {
    EmulatedGpu::SetUp();
    ASSERT_CUDA(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    ASSERT_CUDA(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    ASSERT_CUDA(cuEventCreate(&event, 0));
    ASSERT_CUDA(cuMemHostAlloc(&memory, 128, 0));
    pinned = static_cast<float *>(memory);
    std::fill_n(pinned, 32, 5.0f);
    function = kernel("accumulate");
    x = upload(numbers(32));
    y = upload(std::vector<float>(32));
  }
  void TearDown() override {
    EXPECT_CUDA(cuMemFreeHost(memory));
    EmulatedGpu::TearDown();
  }

  void accumulate(CUstream stream) {
    EXPECT_CUDA(launch(function, 1, 32, {x, y}, stream));
  }
  void order(CUstream before, CUstream after) {
    EXPECT_CUDA(cuEventRecord(event, before));
    EXPECT_CUDA(cuStreamWaitEvent(after, event, 0));
  }

  CUstream first, second;
  CUevent event;
  void *memory;
  float *pinned;
  CUfunction function;
  CUdeviceptr x, y;
};

TEST_F(Streams, AnEventOrders) {
  accumulate(first);
  order(first, second);
  accumulate(second);
  EXPECT_CUDA(cuMemcpyDtoHAsync_v2(pinned, y, 128, second));
  EXPECT_CUDA(cuStreamSynchronize(second));
  EXPECT_EQ(pinned[9], 20);
}

TEST_F(Streams, AnEventOrdersOnlyWhatIsBeforeIt) {
  accumulate(first);
  EXPECT_CUDA(cuEventRecord(event, first));
  accumulate(first);
  EXPECT_CUDA(cuStreamWaitEvent(second, event, 0));
  accumulate(second);
  EXPECT_EQ(cuStreamSynchronize(second), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(Streams, TheHostOrdersByWaiting) {
  accumulate(first);
  EXPECT_CUDA(cuStreamSynchronize(first));
  accumulate(second);
  EXPECT_CUDA(cuEventRecord(event, second));
  EXPECT_CUDA(cuEventSynchronize(event));
  EXPECT_CUDA(cuEventQuery(event));
  accumulate(first);
  EXPECT_CUDA(cuCtxSynchronize());
}

TEST_F(Streams, TheDefaultStreamOrdersThoseThatBlock) {
  CUstream third, fourth;
  ASSERT_CUDA(cuStreamCreate(&third, 0));
  ASSERT_CUDA(cuStreamCreate(&fourth, 0));
  accumulate(third);
  accumulate(nullptr);
  accumulate(fourth);
  EXPECT_CUDA(cuCtxSynchronize());
  accumulate(third);
  accumulate(fourth);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED)
      << "the two are not ordered among themselves";
}

TEST_F(Streams, ReadersNeedNoOrder) {
  std::vector<float> a(32), b(32);
  EXPECT_CUDA(cuMemcpyDtoHAsync_v2(a.data(), x, 128, first));
  EXPECT_CUDA(cuMemcpyDtoHAsync_v2(b.data(), x, 128, second));
  order(second, first);
  EXPECT_CUDA(cuMemsetD32Async(x, 0, 32, first));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(a, b);
}

TEST_F(Streams, AReaderIsRememberedBehindAnother) {
  std::vector<float> a(32);
  EXPECT_CUDA(cuMemcpyDtoHAsync_v2(a.data(), x, 128, first));
  EXPECT_CUDA(cuMemcpyDtoHAsync_v2(a.data(), x, 128, second));
  EXPECT_CUDA(cuMemsetD8Async(x, 0, 128, second));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(Streams, PinnedMemoryIsChecked) {
  EXPECT_CUDA(cuMemcpyHtoDAsync_v2(x, pinned, 128, first));
  EXPECT_CUDA(cuMemcpyDtoHAsync_v2(pinned, y, 128, second));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "of pinned host memory"));
}

TEST_F(Streams, TheHostSeesACopyWhenItHasWaited) {
  accumulate(first);
  EXPECT_CUDA(cuMemcpyDtoHAsync_v2(pinned, y, 128, first));
  EXPECT_NE(pinned[9], 10);
  EXPECT_CUDA(cuStreamSynchronize(second));
  EXPECT_NE(pinned[9], 10);
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_EQ(pinned[9], 10);
}

TEST_F(Streams, AnotherCopySeesItBefore) {
  accumulate(first);
  EXPECT_CUDA(cuMemcpyDtoHAsync_v2(pinned, y, 128, first));
  EXPECT_CUDA(cuMemcpyHtoDAsync_v2(x, pinned, 128, first));
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_EQ(download<float>(x, 32)[9], 10);
}

TEST_F(Streams, TheHostLeavesBytesAloneThatAreCopied) {
  EXPECT_CUDA(cuMemcpyHtoDAsync_v2(x, pinned, 128, first));
  EXPECT_CUDA(cuStreamSynchronize(first));
  pinned[3] = 1;
  EXPECT_CUDA(cuMemcpyHtoDAsync_v2(x, pinned, 128, first));
  pinned[3] = 2;
  EXPECT_EQ(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "wait for the copy first"));
}

TEST_F(Streams, ATraceTellsWhatMayRunAtTheSameTime) {
  CUdeviceptr a = upload(numbers(32)), b = allocate(128);
  accumulate(first);
  graphcEmulatorStartTrace();
  EXPECT_CUDA(cuMemcpyDtoHAsync_v2(pinned, y, 128, first));
  EXPECT_CUDA(cuMemsetD8Async(x, 0, 128, first));
  EXPECT_CUDA(cuMemcpyDtoDAsync_v2(b, a, 128, second));
  order(first, second);
  EXPECT_CUDA(cuMemsetD8Async(y, 0, 128, second));
  EXPECT_STREQ(graphcEmulatorTrace(),
               "1 a copy to the host\n2 a fill\n"
               "3 a copy between buffers of devices beside 1 2\n4 a fill\n");
}

TEST_F(Streams, HostFunctionsRunInOrder) {
  accumulate(first);
  struct Seen {
    float *from;
    float value = 0;
  } seen{pinned};
  EXPECT_CUDA(cuMemcpyDtoHAsync_v2(pinned, y, 128, first));
  EXPECT_CUDA(cuLaunchHostFunc(
      first,
      [](void *data) {
        auto seen = static_cast<Seen *>(data);
        seen->value = seen->from[1];
        // The driver is not locked meanwhile.
        std::thread([] { graphcEmulatorLastError(); }).join();
      },
      &seen));
  EXPECT_CUDA(cuStreamSynchronize(first));
  EXPECT_EQ(seen.value, 2);
}

TEST_F(Streams, EventsMeasureTime) {
  CUevent end;
  float time = -1;
  ASSERT_CUDA(cuEventCreate(&end, 0));
  EXPECT_CUDA(cuEventRecord(event, first));
  accumulate(first);
  EXPECT_CUDA(cuEventRecord(end, first));
  EXPECT_CUDA(cuEventElapsedTime_v2(&time, event, end));
  EXPECT_GT(time, 0);
}

class Graphs : public Streams {
protected:
  /// Two streams: the second copies what the first computed.
  CUgraphExec capture(bool isJoined) {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    EXPECT_CUDA(cuStreamBeginCapture_v2(first, 0));
    EXPECT_CUDA(cuMemcpyHtoDAsync_v2(x, pinned, 128, first));
    accumulate(first);
    order(first, second);
    EXPECT_CUDA(cuMemcpyDtoHAsync_v2(pinned, y, 128, second));
    if (isJoined)
      order(second, first);
    CUresult ended = cuStreamEndCapture(first, &graph);
    EXPECT_EQ(ended,
              isJoined ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    if (ended)
      return nullptr;
    EXPECT_CUDA(cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT_CUDA(cuGraphDestroy(graph));
    return exec;
  }
};

TEST_F(Graphs, ReplayDoesTheWorkAgain) {
  CUgraphExec exec = capture(true);
  EXPECT_EQ(pinned[3], 5) << "capture does nothing";
  for (int step = 0; step < 4; ++step)
    EXPECT_CUDA(cuGraphLaunch(exec, step % 2 ? first : second));
  EXPECT_CUDA(cuCtxSynchronize());
  // 5, 5 + 5, 10 + 10, ...
  EXPECT_EQ(pinned[3], 40);
  EXPECT_CUDA(cuGraphExecDestroy(exec));
  EXPECT_EQ(cuGraphLaunch(exec, first), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Graphs, WorkThatIsNotJoinedIsRefused) {
  capture(false);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "not waited for"));
}

TEST_F(Graphs, BranchesOfAGraphRace) {
  CUgraph graph;
  CUgraphExec exec;
  EXPECT_CUDA(cuStreamBeginCapture_v2(first, 0));
  order(first, second);
  accumulate(first);
  accumulate(second);
  order(second, first);
  ASSERT_CUDA(cuStreamEndCapture(first, &graph));
  ASSERT_CUDA(cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT_CUDA(cuGraphLaunch(exec, first));
  EXPECT_EQ(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_TRUE(
      contains(graphcEmulatorLastError(), "no event or stream orders the two"));
}

TEST_F(Graphs, CaptureRefusesToWait) {
  CUgraph graph;
  CUstreamCaptureStatus status;
  EXPECT_CUDA(cuStreamBeginCapture_v2(first, 0));
  EXPECT_EQ(cuStreamSynchronize(first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_CUDA(cuStreamIsCapturing(first, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(cuStreamEndCapture(first, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_CUDA(cuStreamIsCapturing(first, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(Graphs, EventsOfACaptureAreNotForTheHost) {
  CUgraph graph;
  EXPECT_CUDA(cuStreamBeginCapture_v2(first, 0));
  EXPECT_CUDA(cuEventRecord(event, first));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_CUDA(cuStreamEndCapture(first, &graph));
  EXPECT_CUDA(cuEventRecord(event, second));
  EXPECT_CUDA(cuStreamBeginCapture_v2(first, 0));
  EXPECT_EQ(cuStreamWaitEvent(first, event, 0),
            CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
}

} // namespace
