// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/EmulatedGpu.h"

#include <fstream>
#include <sstream>

namespace graphc::test {

void EmulatedGpu::SetUp() {
  ASSERT_CUDA(cuInit(0));
  ASSERT_CUDA(cuDevicePrimaryCtxRetain(&context, 0));
  ASSERT_CUDA(cuCtxSetCurrent(context));
}

void EmulatedGpu::TearDown() {
  for (CUdeviceptr buffer : buffers)
    cuMemFree_v2(buffer);
  EXPECT_CUDA(cuDevicePrimaryCtxRelease_v2(0));
}

CUdeviceptr EmulatedGpu::allocate(size_t bytes) {
  CUdeviceptr buffer = 0;
  EXPECT_CUDA(cuMemAlloc_v2(&buffer, bytes));
  buffers.push_back(buffer);
  return buffer;
}

CUfunction EmulatedGpu::load(const std::string &ptx, const char *name) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_CUDA(cuModuleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr));
  EXPECT_CUDA(cuModuleGetFunction(&function, module, name));
  return function;
}

CUfunction EmulatedGpu::kernel(const char *name) {
  std::ifstream file(GRAPHC_TEST_PTX);
  std::stringstream text;
  text << file.rdbuf();
  return load(text.str(), name);
}

CUresult EmulatedGpu::launch(CUfunction function, unsigned grid, unsigned block,
                             std::vector<CUdeviceptr> buffers,
                             CUstream stream) {
  std::vector<void *> parameters;
  for (CUdeviceptr &buffer : buffers)
    parameters.push_back(&buffer);
  return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream,
                        parameters.data(), nullptr);
}

std::string EmulatedGpu::failureOf(CUfunction function, unsigned grid,
                                   unsigned block,
                                   std::vector<CUdeviceptr> buffers,
                                   CUresult code) {
  // A launch returns before anyone knows that it fails.
  EXPECT_CUDA(launch(function, grid, block, std::move(buffers)));
  EXPECT_EQ(cuCtxSynchronize(), code);
  return graphcEmulatorLastError();
}

testing::AssertionResult contains(const std::string &text,
                                  const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "there is no '" << part << "' in '" << text << "'";
}

std::vector<float> numbers(size_t count, float first, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = first + step * static_cast<float>(i);
  return values;
}

} // namespace graphc::test
