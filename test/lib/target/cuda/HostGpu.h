// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU kernels on the host: what the compiler emits for the threads of a GPU,
// compiled for this CPU, with a fiber per thread.
#ifndef GRAPHC_TEST_LIB_TARGET_CUDA_HOSTGPU_H
#define GRAPHC_TEST_LIB_TARGET_CUDA_HOSTGPU_H

#include "lib/target/cuda/emit/GpuKernel.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <memory>

namespace llvm::orc {
class LLJIT;
}

namespace graphc {

class HostGpu {
public:
  /// Compiles every function of `module`; aborts with a message on errors.
  explicit HostGpu(mlir::ModuleOp module);
  ~HostGpu();

  /// Runs all launches of a kernel, with scratch memory full of NaN.
  /// `descending` changes the order of blocks and threads.
  void run(const std::string &kernel, std::vector<void *> buffers,
           bool descending) const;

private:
  std::map<std::string, GpuKernel> kernels;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace graphc

#endif // GRAPHC_TEST_LIB_TARGET_CUDA_HOSTGPU_H
