// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a model for one GPU, loaded there.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDAMODULE_H
#define GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDAMODULE_H

#include "runtime/target/cuda/driver/CudaDevice.h"
#include "runtime/target/cuda/format/CudaExecutable.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Code of a model that a GPU takes.
struct ImageChoice {
  const format::GpuImage *image = nullptr;
  bool isMachineCode = false; ///< its cubin, else its PTX
};

/// 80 of "sm_80"; nothing for what runs on one kind of GPU only ("sm_90a").
std::optional<int> capabilityOf(std::string_view arch);

/// "sm_80, sm_90": what a model has code for; "no architecture".
std::string archsOf(const Model &model);

/// Fix-it for a GPU for which a model has no code.
std::string archCure(int capability);

/// The cubin for just such a GPU, else the PTX of the newest architecture that
/// it runs; nothing: there is no code for it.
std::optional<ImageChoice> findImage(const Model &model, int capability);

/// The same; FAILED_PRECONDITION names both sides.
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
  Status findFunctions(const format::CudaExecutable &code);

  const CudaDevice &device;
  cuda::Module handle = nullptr;
  std::vector<std::vector<cuda::Function>> functions; ///< by kernel and stage
};

} // namespace graphc::runtime

#endif
