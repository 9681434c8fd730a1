// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU of this process.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDADEVICE_H
#define GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_CUDADEVICE_H

#include "runtime/target/DeviceFacts.h"
#include "runtime/target/cuda/driver/CudaApi.h"

#include <cstdint>
#include <vector>

namespace graphc::runtime {

/// "sm_80" of 80.
std::string archName(int capability);

/// Properties of a GPU.
struct CudaDeviceFacts {
  int number = 0;       ///< the driver's
  std::string model;    ///< "NVIDIA H100 80GB HBM3"
  std::string pciBusId; ///< "0000:01:00.0"
  int capability = 0;   ///< 90: sm_90
  uint64_t bytes = 0;   ///< of memory

  /// As all targets describe their devices: "device: 0, name: NVIDIA H100, pci
  /// bus id: 0000:01:00.0, compute capability: 9.0".
  DeviceFacts describe() const;
};

/// The GPUs that the driver knows, in its order; none where it has none.
StatusOr<std::vector<CudaDeviceFacts>> listCudaDevices(const CudaApi &api);

/// The GPUs of this process; none without a driver.
std::vector<CudaDeviceFacts> usableCudaDevices();

/// The primary context of a GPU, which all users of one process share.
/// Thread-safety: const.
class CudaDevice {
public:
  /// REQUIRES: `facts` are of listCudaDevices().
  static StatusOr<std::unique_ptr<CudaDevice>> open(const CudaApi &api,
                                                    CudaDeviceFacts facts);
  ~CudaDevice();
  CudaDevice(const CudaDevice &) = delete;
  CudaDevice &operator=(const CudaDevice &) = delete;

  const CudaApi &api() const { return driver; }
  const CudaDeviceFacts &facts() const { return about; }
  cuda::Context context() const { return handle; }

  /// Makes this GPU's context current on the calling thread.
  Status makeCurrent() const;

  /// Bytes that can be allocated.
  StatusOr<uint64_t> freeBytes() const;

  /// Lets this GPU reach the memory of the other one, where the two can.
  Status enablePeer(const CudaDevice &other) const;

  /// As CudaApi::check, with the device named.
  Status check(cuda::Result result, std::string_view what) const;

private:
  CudaDevice(const CudaApi &api, CudaDeviceFacts facts)
      : driver(api), about(std::move(facts)) {}

  const CudaApi &driver;
  CudaDeviceFacts about;
  cuda::Device device = 0;
  cuda::Context handle = nullptr;
};

} // namespace graphc::runtime

#endif
