// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/target/cuda/DriverGpu.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace graphc {

using DevicePointer = unsigned long long;

[[noreturn]] static void fail(const char *what, const char *why) {
  fprintf(stderr, "GPU kernels on a driver: %s: %s\n", what, why);
  exit(1);
}

/// Calls a function of the driver, whose result is 0 if all is well.
template <typename... Arguments>
void DriverGpu::call(const char *function, Arguments... arguments) {
  auto *address =
      reinterpret_cast<int (*)(Arguments...)>(dlsym(driver, function));
  if (!address)
    fail(function, "the driver does not have it");
  int error = address(arguments...);
  if (error == 0)
    return;
  auto *describe = reinterpret_cast<int (*)(int, const char **)>(
      dlsym(driver, "cuGetErrorString"));
  const char *text = "unknown error";
  if (describe)
    describe(error, &text);
  fail(function, text);
}

DriverGpu::DriverGpu(const std::string &library, const GpuImage &image)
    : driver(dlopen(library.c_str(), RTLD_NOW)) {
  if (!driver)
    fail("dlopen", dlerror());
  int device = 0;
  void *context = nullptr;
  call("cuInit", 0u);
  call("cuDeviceGet", &device, 0);
  call("cuDevicePrimaryCtxRetain", &context, device);
  call("cuCtxSetCurrent", context);
  call("cuModuleLoadDataEx", &module,
       static_cast<const void *>(image.ptx.c_str()), 0u,
       static_cast<int *>(nullptr), static_cast<void **>(nullptr));
}

void DriverGpu::run(const GpuKernel &kernel,
                    const std::vector<KernelBuffer> &buffers) {
  void *stream = nullptr;
  std::vector<DevicePointer> pointers(buffers.size() + 1);
  std::vector<void *> arguments;
  for (size_t i = 0; i < pointers.size(); ++i) {
    size_t bytes = i < buffers.size() ? buffers[i].bytes : kernel.scratch;
    if (i == buffers.size() && bytes == 0)
      break;
    call("cuMemAlloc_v2", &pointers[i], std::max<size_t>(bytes, 1));
    arguments.push_back(&pointers[i]);
    if (i < buffers.size() && bytes && buffers[i].isArgument)
      call("cuMemcpyHtoDAsync_v2", pointers[i],
           static_cast<const void *>(buffers[i].data), bytes, stream);
  }
  for (const GpuLaunch &launch : kernel.launches) {
    void *function = nullptr;
    call("cuModuleGetFunction", &function, module, launch.entry.c_str());
    call("cuLaunchKernel", function, launch.grid, 1u, 1u, launch.block, 1u, 1u,
         0u, stream, arguments.data(), static_cast<void **>(nullptr));
  }
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes)
      call("cuMemcpyDtoHAsync_v2", buffers[i].data, pointers[i],
           buffers[i].bytes, stream);
  call("cuCtxSynchronize");
  for (DevicePointer pointer : pointers)
    if (pointer)
      call("cuMemFree_v2", pointer);
}

} // namespace graphc
