// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices, memory limits, modules that cannot be loaded, functions by name.
#include "test/cuda/EmulatedGpu.h"

#include <cstdlib>
#include <thread>

using namespace graphc::test;

namespace {

/// The emulator reads its settings when it is first called.
class Settings : public testing::Environment {
public:
  void SetUp() override {
    setenv("GRAPHC_EMULATED_GPUS", "2", 1);
    setenv("GRAPHC_EMULATED_MEMORY", "1M", 1);
    setenv("GRAPHC_EMULATED_MODEL", "Test GPU", 1);
    setenv("GRAPHC_EMULATED_DRIVER", "12090", 1);
    setenv("GRAPHC_EMULATED_ARCH", "86", 1);
  }
};

const auto *const kSettings = testing::AddGlobalTestEnvironment(new Settings);

class DriverApi : public EmulatedGpu {
protected:
  std::string loadError(const std::string &ptx, CUresult code) {
    CUmodule module = nullptr;
    char log[512] = "";
    int options[] = {5, 6};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    EXPECT_EQ(cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values),
              code);
    EXPECT_TRUE(contains(graphcEmulatorLastError(), log));
    return log;
  }

  static std::string module(const std::string &body) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n"
           ".visible .entry k() {\n.reg .b32 %r<3>;\n" +
           body + "\nret;\n}\n";
  }
};

TEST_F(DriverApi, Devices) {
  int count = 0, value = 0;
  size_t bytes = 0;
  char text[64];
  EXPECT_CUDA(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 2);
  EXPECT_CUDA(cuDeviceGetName(text, sizeof(text), 1));
  EXPECT_STREQ(text, "Test GPU");
  EXPECT_CUDA(cuDeviceGetPCIBusId(text, sizeof(text), 1));
  EXPECT_STREQ(text, "0000:02:00.0");
  EXPECT_CUDA(cuDeviceTotalMem_v2(&bytes, 0));
  EXPECT_EQ(bytes, 1u << 20);
  EXPECT_CUDA(cuDriverGetVersion(&value));
  EXPECT_EQ(value, 12090);
  EXPECT_CUDA(cuDeviceGetAttribute(&value, 75, 0));
  EXPECT_EQ(value, 8);
  EXPECT_CUDA(cuDeviceGetAttribute(&value, 76, 0));
  EXPECT_EQ(value, 6);
  EXPECT_EQ(cuDeviceGet(&value, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "no device 2 among 2"));
}

TEST_F(DriverApi, MemoryIsLimited) {
  size_t free = 0, total = 0;
  CUdeviceptr pointer = 0;
  allocate(1 << 19);
  EXPECT_CUDA(cuMemGetInfo_v2(&free, &total));
  EXPECT_EQ(free, 1u << 19);
  EXPECT_EQ(cuMemAlloc_v2(&pointer, (1 << 19) + 1), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_TRUE(contains(graphcEmulatorLastError(),
                       "524289 bytes wanted, 524288 of 1048576 are free"));
}

TEST_F(DriverApi, PeersMustBeEnabled) {
  CUcontext other;
  CUdeviceptr there = 0, here = upload(numbers(32));
  ASSERT_CUDA(cuDevicePrimaryCtxRetain(&other, 1));
  ASSERT_CUDA(cuCtxSetCurrent(other));
  ASSERT_CUDA(cuMemAlloc_v2(&there, 128));
  ASSERT_CUDA(cuMemcpyPeerAsync(there, other, here, context, 128, nullptr));
  ASSERT_CUDA(cuCtxSynchronize());
  ASSERT_CUDA(cuCtxSetCurrent(context));
  ASSERT_CUDA(cuCtxEnablePeerAccess(other, 0));
  EXPECT_EQ(cuCtxEnablePeerAccess(other, 0),
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  CUfunction add = kernel("accumulate");
  ASSERT_CUDA(launch(add, 1, 32, {there, here}));
  EXPECT_EQ(download<float>(here, 32)[4], 10);
  ASSERT_CUDA(cuCtxSetCurrent(other));
  EXPECT_TRUE(contains(failureOf(kernel("accumulate"), 1, 32, {here, there},
                                 CUDA_ERROR_ILLEGAL_ADDRESS),
                       "to which GPU 1 has no peer access"));
  EXPECT_CUDA(cuMemFree_v2(there));
  EXPECT_CUDA(cuDevicePrimaryCtxRelease_v2(1));
  ASSERT_CUDA(cuCtxSetCurrent(context));
}

TEST_F(DriverApi, ThreadsHaveDevicesOfTheirOwn) {
  auto work = [](CUdevice device, float *result) {
    CUcontext own;
    CUdeviceptr x;
    ASSERT_CUDA(cuDevicePrimaryCtxRetain(&own, device));
    ASSERT_CUDA(cuCtxSetCurrent(own));
    for (int i = 0; i < 100; ++i) {
      auto value = static_cast<float>(device * 1000 + i);
      ASSERT_CUDA(cuMemAlloc_v2(&x, 4));
      ASSERT_CUDA(cuMemcpyHtoD_v2(x, &value, 4));
      ASSERT_CUDA(cuMemcpyDtoH_v2(result, x, 4));
      ASSERT_CUDA(cuMemFree_v2(x));
      ASSERT_EQ(*result, value);
    }
    ASSERT_CUDA(cuDevicePrimaryCtxRelease_v2(device));
  };
  float results[2] = {};
  std::thread first(work, 0, &results[0]), second(work, 1, &results[1]);
  first.join();
  second.join();
  EXPECT_EQ(results[0], 99);
  EXPECT_EQ(results[1], 1099);
}

TEST_F(DriverApi, UnknownInstructionsAreNamed) {
  std::string text =
      loadError(module("tex.1d.v4.s32 %r1, %r2;"), CUDA_ERROR_INVALID_PTX);
  EXPECT_TRUE(contains(text, "line 6 of the PTX: the emulator does not know "
                             "the instruction 'tex.1d.v4.s32'"));
  EXPECT_TRUE(contains(
      loadError(module("add.rn.s32 %r1, %r1, %r2;"), CUDA_ERROR_INVALID_PTX),
      "'add.rn.s32'"));
}

TEST_F(DriverApi, MistakesInModulesAreNamed) {
  EXPECT_TRUE(contains(
      loadError(module("add.s32 %r1, %r9, 1;"), CUDA_ERROR_INVALID_PTX),
      "'%r9' is no register, number or variable"));
  EXPECT_TRUE(
      contains(loadError(module("mov.u32 %r7, 1;"), CUDA_ERROR_INVALID_PTX),
               "'%r7' is not declared as a register"));
  EXPECT_TRUE(
      contains(loadError(module("bra NOWHERE;"), CUDA_ERROR_INVALID_PTX),
               "there is no label 'NOWHERE'"));
  EXPECT_TRUE(contains(
      loadError(module("call.uni (%r1), f, (%r2);"), CUDA_ERROR_INVALID_PTX),
      "calls are not supported"));
  EXPECT_TRUE(contains(
      loadError(".version 8.0\n.entry k() { ret;", CUDA_ERROR_INVALID_PTX),
      "the body of 'k' has no end"));
  EXPECT_TRUE(contains(loadError("nonsense", CUDA_ERROR_INVALID_PTX),
                       "'nonsense' is not known at the top of a module"));
}

TEST_F(DriverApi, BranchesNeedALabel) {
  EXPECT_TRUE(contains(loadError(module("bra;"), CUDA_ERROR_INVALID_PTX),
                       "a branch needs a label"));
}

TEST_F(DriverApi, VersionsThatAreTooNew) {
  EXPECT_TRUE(contains(loadError(".version 9.0\n.target sm_80\n",
                                 CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
                       "written in PTX 9.0, the driver knows up to 8.8"));
  EXPECT_TRUE(contains(
      loadError(".version 8.0\n.target sm_90\n", CUDA_ERROR_NO_BINARY_FOR_GPU),
      "for sm_90 and later, the device is sm_86"));
  EXPECT_TRUE(contains(loadError("\x7f"
                                 "ELF",
                                 CUDA_ERROR_NO_BINARY_FOR_GPU),
                       "executes PTX only"));
}

TEST_F(DriverApi, LaunchesAreChecked) {
  CUfunction function =
      load(".version 8.0\n.target sm_80\n.address_size 64\n"
           ".visible .entry k() .maxntid 64, 1, 1 {\nret;\n}\n",
           "k");
  EXPECT_CUDA(launch(function, 1, 64, {}));
  EXPECT_EQ(launch(function, 1, 65, {}), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launch(function, 0, 64, {}), CUDA_ERROR_INVALID_VALUE);
  int value = 0;
  EXPECT_CUDA(cuFuncGetAttribute(&value, 0, function));
  EXPECT_EQ(value, 64);
  CUstream stream;
  EXPECT_CUDA(cuStreamCreate(&stream, 0));
  EXPECT_CUDA(cuStreamDestroy_v2(stream));
  EXPECT_EQ(launch(function, 1, 1, {}, stream), CUDA_ERROR_INVALID_HANDLE);
  CUmodule missing = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, missing, "k"),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverApi, CallsNeedAContext) {
  CUdeviceptr pointer;
  ASSERT_CUDA(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 4), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "cuCtxSetCurrent"));
  ASSERT_CUDA(cuCtxSetCurrent(context));
}

TEST_F(DriverApi, FunctionsByName) {
  void *function = nullptr;
  int status = -1;
  EXPECT_CUDA(cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 0, &status));
  EXPECT_EQ(function, reinterpret_cast<void *>(&cuMemAlloc_v2));
  EXPECT_CUDA(cuGetProcAddress_v2("cuInit", &function, 12000, 0, &status));
  EXPECT_EQ(function, reinterpret_cast<void *>(&cuInit));
  EXPECT_EQ(cuGetProcAddress_v2("cuNothing", &function, 12000, 0, &status),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, 1);
}

TEST_F(DriverApi, ErrorsHaveNames) {
  const char *text = nullptr;
  EXPECT_CUDA(cuGetErrorName(CUDA_ERROR_MISALIGNED_ADDRESS, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_MISALIGNED_ADDRESS");
  EXPECT_CUDA(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &text),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverApi, HostMemory) {
  std::vector<float> values(32);
  void *pinned = nullptr;
  EXPECT_CUDA(cuMemHostRegister_v2(values.data(), 128, 0));
  EXPECT_EQ(cuMemHostRegister_v2(values.data(), 128, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_CUDA(cuMemHostAlloc(&pinned, 128, 0));
  std::memset(pinned, 0, 128);
  // Kernels reach pinned memory under the address that it has on the host.
  EXPECT_CUDA(launch(kernel("accumulate"), 1, 32,
                     {reinterpret_cast<CUdeviceptr>(pinned),
                      reinterpret_cast<CUdeviceptr>(values.data())}));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_CUDA(cuMemFreeHost(pinned));
  EXPECT_CUDA(cuMemHostUnregister(values.data()));
  EXPECT_EQ(cuMemHostUnregister(values.data()),
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(DriverApi, HostMemoryIsPinnedAgainInOtherSizes) {
  std::vector<float> values(64);
  EXPECT_CUDA(cuMemHostRegister_v2(values.data() + 16, 64, 0));
  EXPECT_CUDA(cuMemHostUnregister(values.data() + 16));
  EXPECT_CUDA(cuMemHostRegister_v2(values.data(), 256, 0));
  auto whole = reinterpret_cast<CUdeviceptr>(values.data());
  EXPECT_CUDA(launch(kernel("accumulate"), 1, 32, {whole, whole + 128}));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_CUDA(cuMemHostUnregister(values.data()));
}

TEST_F(DriverApi, LibrariesAreOrderedLikeKernels) {
  CUdeviceptr x = upload(numbers(32)), y = allocate(128);
  GraphcEmulatorRange from{x, 128}, to{y, 128};
  float factor = 3;
  auto enqueue = [&](CUstream stream) {
    return graphcEmulatorEnqueue(
        stream, "scale", &from, 1, &to, 1,
        [](void *const *reads, void *const *writes, const void *factor) {
          auto in = static_cast<const float *>(reads[0]);
          for (int i = 0; i < 32; ++i)
            static_cast<float *>(writes[0])[i] =
                in[i] * *static_cast<const float *>(factor);
        },
        &factor, sizeof(factor));
  };
  EXPECT_CUDA(enqueue(nullptr));
  EXPECT_EQ(download<float>(y, 32)[5], 18);
  CUstream stream;
  ASSERT_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  EXPECT_CUDA(enqueue(nullptr));
  EXPECT_CUDA(enqueue(stream));
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_TRUE(contains(graphcEmulatorLastError(), "library call 'scale'"));
}

} // namespace
