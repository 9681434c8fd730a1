// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU kernels on a CUDA driver, a real one or one that is emulated.
#ifndef GRAPHC_TEST_LIB_TARGET_CUDA_DRIVERGPU_H
#define GRAPHC_TEST_LIB_TARGET_CUDA_DRIVERGPU_H

#include "lib/target/cuda/CompileGpu.h"

namespace graphc {

/// A buffer of a kernel on the host.
struct KernelBuffer {
  void *data;
  size_t bytes;
  bool isArgument; ///< holds something before the kernel runs
};

class DriverGpu {
public:
  /// Loads the PTX of `image` on the first device of the driver in the shared
  /// library `library`; aborts with a message on errors, as run() does.
  DriverGpu(const std::string &library, const GpuImage &image);

  /// Copies the buffers to the device, runs all launches of a kernel and copies
  /// the buffers back.
  void run(const GpuKernel &kernel, const std::vector<KernelBuffer> &buffers);

private:
  template <typename... Arguments>
  void call(const char *function, Arguments... arguments);

  void *driver;
  void *module = nullptr;
};

} // namespace graphc

#endif // GRAPHC_TEST_LIB_TARGET_CUDA_DRIVERGPU_H
