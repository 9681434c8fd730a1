// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a model for one GPU, loaded there.
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_CUDAMODULE_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_CUDAMODULE_H

#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/format/Model.h"

#include <vector>

namespace graphc::runtime {

/// Which code of a model a GPU takes.
struct ImageChoice {
  const format::GpuImage *image = nullptr;
  bool isMachineCode = false; ///< its cubin, else its PTX
};

/// The cubin for just this GPU, else the PTX of the newest architecture that it
/// runs; FAILED_PRECONDITION that names both sides.
StatusOr<ImageChoice> chooseImage(const Model &model,
                                  const CudaDeviceFacts &device);

/// Thread-safety: const after load().
class CudaModule {
public:
  /// `device` must outlive the module.
  static StatusOr<std::unique_ptr<CudaModule>> load(const Model &model,
                                                    const CudaDevice &device);
  ~CudaModule();
  CudaModule(const CudaModule &) = delete;
  CudaModule &operator=(const CudaModule &) = delete;

  /// Of a stage that is a launch; null for all others.
  cuda::Function function(uint32_t kernel, uint32_t stage) const {
    return functions[kernel][stage];
  }

private:
  explicit CudaModule(const CudaDevice &device) : device(device) {}
  Status loadImage(const Model &model);
  Status findFunctions(const format::Model &model);

  const CudaDevice &device;
  cuda::Module handle = nullptr;
  std::vector<std::vector<cuda::Function>> functions; ///< by kernel and stage
};

} // namespace graphc::runtime

#endif
