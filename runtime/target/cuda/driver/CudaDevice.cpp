// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/driver/CudaDevice.h"

#include "runtime/target/cuda/format/CudaExecutable.h"

namespace graphc::runtime {

namespace {

StatusOr<CudaDeviceFacts> factsOf(const CudaApi &api, int number) {
  CudaDeviceFacts facts;
  facts.number = number;
  cuda::Device device = 0;
  char text[256] = {};
  int major = 0, minor = 0;
  size_t bytes = 0;
  auto check = [&](cuda::Result result) {
    return api.check(result, "asking about GPU " + std::to_string(number));
  };
  GRAPHC_TRY(check(api.deviceGet(&device, number)));
  GRAPHC_TRY(check(api.deviceGetName(text, sizeof(text), device)));
  facts.model = text;
  GRAPHC_TRY(check(api.deviceGetPciBusId(text, sizeof(text), device)));
  facts.pciBusId = text;
  GRAPHC_TRY(
      check(api.deviceGetAttribute(&major, cuda::kCapabilityMajor, device)));
  GRAPHC_TRY(
      check(api.deviceGetAttribute(&minor, cuda::kCapabilityMinor, device)));
  facts.capability = 10 * major + minor;
  GRAPHC_TRY(check(api.deviceTotalMem(&bytes, device)));
  facts.bytes = bytes;
  return facts;
}

} // namespace

DeviceFacts CudaDeviceFacts::describe() const {
  return {number,
          std::string(kCudaDeviceType),
          model,
          archName(capability),
          bytes,
          {{"pci bus id", pciBusId},
           {"compute capability", std::to_string(capability / 10) + "." +
                                      std::to_string(capability % 10)}}};
}

std::string archName(int capability) {
  return "sm_" + std::to_string(capability);
}

StatusOr<std::vector<CudaDeviceFacts>> listCudaDevices(const CudaApi &api) {
  std::vector<CudaDeviceFacts> list;
  int count = 0;
  // Where there is no device, the driver is not started, which is no failure.
  if (api.deviceGetCount(&count) != cuda::kSuccess)
    return list;
  for (int number = 0; number < count; ++number) {
    GRAPHC_ASSIGN_OR_RETURN(CudaDeviceFacts facts, factsOf(api, number));
    list.push_back(std::move(facts));
  }
  return list;
}

std::vector<CudaDeviceFacts> usableCudaDevices() {
  StatusOr<const CudaApi *> driver = CudaApi::load();
  if (!driver.isOk())
    return {};
  StatusOr<std::vector<CudaDeviceFacts>> list = listCudaDevices(**driver);
  return list.isOk() ? *list : std::vector<CudaDeviceFacts>();
}

StatusOr<std::unique_ptr<CudaDevice>> CudaDevice::open(const CudaApi &api,
                                                       CudaDeviceFacts facts) {
  std::unique_ptr<CudaDevice> made(new CudaDevice(api, std::move(facts)));
  GRAPHC_TRY(made->check(api.deviceGet(&made->device, made->about.number),
                         "finding the device"));
  GRAPHC_TRY(made->check(api.primaryContextRetain(&made->handle, made->device),
                         "opening the device"));
  return made;
}

CudaDevice::~CudaDevice() {
  if (handle)
    driver.primaryContextRelease(device);
}

Status CudaDevice::makeCurrent() const {
  return check(driver.contextSetCurrent(handle), "choosing the device");
}

StatusOr<uint64_t> CudaDevice::freeBytes() const {
  GRAPHC_TRY(makeCurrent());
  size_t free = 0, total = 0;
  GRAPHC_TRY(check(driver.memoryInfo(&free, &total), "asking for free memory"));
  return uint64_t{free};
}

Status CudaDevice::enablePeer(const CudaDevice &other) const {
  int can = 0;
  GRAPHC_TRY(check(driver.deviceCanAccessPeer(&can, device, other.device),
                   "asking for peer access"));
  // The driver then copies over the host.
  if (!can)
    return Status::ok();
  GRAPHC_TRY(makeCurrent());
  cuda::Result result = driver.contextEnablePeerAccess(other.handle, 0);
  if (result == cuda::kPeerAccessAlreadyEnabled)
    return Status::ok();
  return check(result, "allowing peer access");
}

Status CudaDevice::check(cuda::Result result, std::string_view what) const {
  if (result == cuda::kSuccess)
    return Status::ok();
  return driver.check(result, what)
      .annotate("GPU " + std::to_string(about.number) + " (" + about.model +
                ", " + about.pciBusId + ")");
}

} // namespace graphc::runtime
