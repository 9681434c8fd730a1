// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measurements without a model: facts and copies.
#include "bench/gpu/Measurements.h"
#include "runtime/target/cuda/driver/CudaMemory.h"

namespace graphc::bench {

using namespace runtime;

StatusOr<std::unique_ptr<CudaDevice>> openDevice(size_t number) {
  GRAPHC_ASSIGN_OR_RETURN(const CudaApi *api, CudaApi::load());
  GRAPHC_ASSIGN_OR_RETURN(std::vector<CudaDeviceFacts> gpus,
                          listCudaDevices(*api));
  if (number >= gpus.size())
    return unavailable("there is no GPU " + std::to_string(number));
  return CudaDevice::open(*api, gpus[number]);
}

StatusOr<Facts> describe() {
  GRAPHC_ASSIGN_OR_RETURN(const CudaApi *api, CudaApi::load());
  GRAPHC_ASSIGN_OR_RETURN(std::vector<CudaDeviceFacts> gpus,
                          listCudaDevices(*api));
  GRAPHC_ASSIGN_OR_RETURN(SharedLibrary driver, openDriver());
  const char *(*lastError)() = nullptr;
  Facts facts;
  facts["driver"] = api->version();
  facts["emulated"] = driver.find("graphcEmulatorLastError", lastError).isOk();
  facts["gpus"] = Facts::array();
  for (const CudaDeviceFacts &gpu : gpus)
    facts["gpus"].push_back(gpu.model);
  return facts;
}

StatusOr<Facts> measureCopies(size_t bytes, const Effort &effort) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<CudaDevice> device, openDevice(0));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<DeviceClock> clock,
                          DeviceClock::create(*device, effort));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<CudaStream> stream,
                          CudaStream::create(*device));
  GRAPHC_ASSIGN_OR_RETURN(PinnedBuffer host,
                          PinnedBuffer::allocate(*device, bytes, "a copy"));
  GRAPHC_ASSIGN_OR_RETURN(CudaBuffer here,
                          CudaBuffer::allocate(*device, bytes, "a copy"));
  GRAPHC_ASSIGN_OR_RETURN(CudaBuffer there,
                          CudaBuffer::allocate(*device, bytes, "a copy"));
  GRAPHC_TRY(here.clear());
  const CudaApi &api = device->api();
  auto work = [&](auto submit) -> Work {
    return [&device, submit](cuda::Stream queue) {
      return device->check(submit(queue), "a copy");
    };
  };
  std::vector<std::string> names = {"to_device", "to_host", "on_device"};
  std::vector<Work> works = {
      work([&](cuda::Stream queue) {
        return api.copyToDeviceAsync(there.address(), host.data(), bytes,
                                     queue);
      }),
      work([&](cuda::Stream queue) {
        return api.copyToHostAsync(host.data(), here.address(), bytes, queue);
      }),
      work([&](cuda::Stream queue) {
        return api.copyOnDeviceAsync(there.address(), here.address(), bytes,
                                     queue);
      })};
  StatusOr<std::unique_ptr<CudaDevice>> peer = openDevice(1);
  CudaBuffer remote;
  if (peer.isOk()) {
    GRAPHC_TRY(device->enablePeer(**peer));
    GRAPHC_ASSIGN_OR_RETURN(remote,
                            CudaBuffer::allocate(**peer, bytes, "a copy"));
    names.push_back("to_peer");
    works.push_back(work([&](cuda::Stream queue) {
      return api.copyToPeerAsync(remote.address(), (*peer)->context(),
                                 here.address(), device->context(), bytes,
                                 queue);
    }));
  }
  GRAPHC_ASSIGN_OR_RETURN(std::vector<double> seconds,
                          clock->measure(stream->handle(), works));
  Facts facts;
  facts["bytes"] = bytes;
  for (size_t i = 0; i < names.size(); ++i)
    facts[names[i]] = seconds[i];
  return facts;
}

} // namespace graphc::bench
