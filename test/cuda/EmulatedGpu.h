// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU for tests of the emulator: its context, buffers, kernels.
#ifndef GRAPHC_TEST_CUDA_EMULATEDGPU_H
#define GRAPHC_TEST_CUDA_EMULATEDGPU_H

#include "test/cuda/emulator/api/DriverApi.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace graphc::test {

#define EXPECT_CUDA(call) EXPECT_EQ(call, CUDA_SUCCESS)
#define ASSERT_CUDA(call) ASSERT_EQ(call, CUDA_SUCCESS)

/// Each test has a context of its own; what it leaves in it is an error.
class EmulatedGpu : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  CUdeviceptr allocate(size_t bytes);

  template <typename T> CUdeviceptr upload(const std::vector<T> &values) {
    CUdeviceptr buffer = allocate(values.size() * sizeof(T));
    EXPECT_CUDA(
        cuMemcpyHtoD_v2(buffer, values.data(), values.size() * sizeof(T)));
    return buffer;
  }

  template <typename T>
  std::vector<T> download(CUdeviceptr buffer, size_t count) {
    std::vector<T> values(count);
    EXPECT_CUDA(cuMemcpyDtoH_v2(values.data(), buffer, count * sizeof(T)));
    return values;
  }

  /// A kernel of a text, or of kernels/kernels.ptx.
  CUfunction load(const std::string &ptx, const char *name);
  CUfunction kernel(const char *name);

  CUresult launch(CUfunction function, unsigned grid, unsigned block,
                  std::vector<CUdeviceptr> buffers, CUstream stream = nullptr);

  /// Message of a launch that must fail.
  std::string failureOf(CUfunction function, unsigned grid, unsigned block,
                        std::vector<CUdeviceptr> buffers,
                        CUresult code = CUDA_ERROR_LAUNCH_FAILED);

  CUcontext context = nullptr;

private:
  std::vector<CUdeviceptr> buffers;
};

/// Is the part in the text? Prints the text if not.
testing::AssertionResult contains(const std::string &text,
                                  const std::string &part);

/// The numbers first, first + step, ...
std::vector<float> numbers(size_t count, float first = 1, float step = 1);

} // namespace graphc::test

#endif
