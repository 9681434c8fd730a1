// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/driver/CudaApi.h"

#include "runtime/target/cuda/driver/SharedLibrary.h"

namespace graphc::runtime {

namespace {
/// The first one with all functions that are used.
constexpr int kOldestDriver = 12000;
} // namespace

std::string cudaVersionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

StatusOr<const CudaApi *> CudaApi::load() {
  static const StatusOr<const CudaApi *> kDriver = open();
  return kDriver;
}

StatusOr<const CudaApi *> CudaApi::open() {
  GRAPHC_ASSIGN_OR_RETURN(SharedLibrary library,
                          SharedLibrary::open("the CUDA driver",
                                              "GRAPHC_CUDA_DRIVER",
                                              {"libcuda.so.1"}));
  // Never unloaded: the driver does not outlive that well.
  static CudaApi api;
  GRAPHC_TRY(library.find("cuDriverGetVersion", api.driverGetVersion));
  int version = 0;
  api.driverGetVersion(&version);
  if (version < kOldestDriver)
    return failedPrecondition("the CUDA driver is of version " +
                              cudaVersionText(version) + ", but " +
                              cudaVersionText(kOldestDriver) +
                              " or later is needed; update the driver");
#define GRAPHC_FIND(MEMBER, FUNCTION, PARAMETERS)                              \
  GRAPHC_TRY(library.find(#FUNCTION, api.MEMBER));
  GRAPHC_CUDA_FUNCTIONS(GRAPHC_FIND)
#undef GRAPHC_FIND
  cuda::Result result = api.init(0);
  // Without a device all else works, and counts how many there are.
  if (result != cuda::kNoDevice)
    GRAPHC_TRY(api.check(result, "starting the CUDA driver"));
  return &api;
}

Status CudaApi::check(cuda::Result result, std::string_view what) const {
  if (result == cuda::kSuccess)
    return Status::ok();
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  std::string message = std::string(what) + " failed with " +
                        (name ? name : "CUDA error " + std::to_string(result)) +
                        (text ? std::string(" (") + text + ")" : "");
  return result == cuda::kOutOfMemory ? resourceExhausted(message)
                                      : internalError(message);
}

std::string CudaApi::version() const {
  int version = 0;
  driverGetVersion(&version);
  return cudaVersionText(version);
}

} // namespace graphc::runtime
