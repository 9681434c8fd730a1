// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver API: modules, launches of kernels and of work of the host.
#include "test/cuda/emulator/ModuleImage.h"
#include "test/cuda/emulator/Transfers.h"

#include <cstdio>
#include <cstring>

using namespace graphc::emulator;

namespace {

/// Options 5 and 6 of cuModuleLoadDataEx: a buffer for errors, and its size.
void writeErrorLog(const std::string &text, unsigned count, const int *options,
                   void **values) {
  char *buffer = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == 6)
      size = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
  }
  if (buffer && size)
    std::snprintf(buffer, size, "%s", text.c_str());
}

CUresult checkLaunch(const Call &call, const Launch &launch) {
  const Kernel &kernel = *launch.kernel;
  uint64_t threads = launch.block.count();
  std::string who = "kernel '" + kernel.name + "': ";
  if (!threads || !launch.grid.count())
    return call.fail(CUDA_ERROR_INVALID_VALUE, who + "the grid is empty");
  if (threads > 1024 || launch.block.z > 64 || launch.grid.y > 65535 ||
      launch.grid.z > 65535 || launch.grid.x > 0x7fffffff)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     who + "a block has at most 1024 threads, a grid at most "
                           "2147483647 x 65535 x 65535 blocks");
  if (threads > kernel.maxThreads)
    return call.fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                     who + "launched with " + std::to_string(threads) +
                         " threads, compiled for " +
                         std::to_string(kernel.maxThreads));
  if (kernel.sharedBytes + launch.dynamicShared > (48 << 10))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     who + "a block has at most 49152 bytes of shared memory");
  return CUDA_SUCCESS;
}

void readParameters(Launch &launch, void **parameters) {
  launch.parameters.resize(launch.kernel->parameterBytes);
  size_t number = 0;
  for (const Parameter &parameter : launch.kernel->parameters)
    std::memcpy(launch.parameters.data() + parameter.offset,
                parameters[number++], parameter.bytes);
}

using Ranges = std::vector<GraphcEmulatorRange>;

/// The host's addresses of ranges, which someone uses.
Failure useAll(Memory &memory, const Ranges &ranges, AccessKind kind,
               const Actor &actor, const std::string &who,
               std::vector<void *> &pointers) {
  for (const GraphcEmulatorRange &range : ranges) {
    uint8_t *data = nullptr;
    Failure failure =
        useRange(memory, range.address, range.bytes, kind, actor, who, data);
    if (failure.code)
      return failure;
    if (kind == AccessKind::Write) {
      Allocation *found = memory.find(range.address);
      found->shadow->markInitialised(range.address - found->base, range.bytes);
    }
    pointers.push_back(data);
  }
  return {};
}

} // namespace

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            int *options, void **values) {
  Call call("cuModuleLoadDataEx");
  if (call.error())
    return call.error();
  Failure failure;
  auto made = loadModule(call.driver, *call.context, image, failure);
  if (!made) {
    writeErrorLog(failure.text, count, options, values);
    return call.fail(static_cast<CUresult>(failure.code), failure.text);
  }
  *module = call.driver.modules.add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  Call call("cuModuleUnload");
  if (call.error())
    return call.error();
  if (!call.driver.modules.has(module))
    return call.noSuch("module");
  call.driver.unload(*module);
  call.driver.modules.destroy(module);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  Call call("cuModuleGetFunction");
  if (call.error())
    return call.error();
  if (!call.driver.modules.has(module))
    return call.noSuch("module");
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return call.fail(CUDA_ERROR_NOT_FOUND, std::string("the module has no "
                                                       "kernel '") +
                                               name + "'");
  *function = found->second;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  Call call("cuFuncGetAttribute");
  if (call.error())
    return call.error();
  if (!call.driver.functions.has(function))
    return call.noSuch("function");
  const Kernel &kernel = *function->kernel;
  const int values[] = {static_cast<int>(kernel.maxThreads),
                        static_cast<int>(kernel.sharedBytes),
                        0,
                        static_cast<int>(kernel.localBytes),
                        static_cast<int>(std::min(kernel.registers, 255u)),
                        function->ptxVersion,
                        call.driver.arch};
  if (attribute < 0 || static_cast<size_t>(attribute) >= std::size(values))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "the emulator does not know attribute " +
                         std::to_string(attribute) + " of a function");
  *value = values[attribute];
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **parameters, void **extra) {
  StreamCall call("cuLaunchKernel", stream);
  if (call.error())
    return call.error();
  if (!call.driver.functions.has(function))
    return call.noSuch("function");
  if (extra || (!parameters && !function->kernel->parameters.empty()))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "give the parameters as an array of pointers");
  if (function->context != call.stream->context)
    return call.fail(CUDA_ERROR_INVALID_HANDLE,
                     "kernel '" + function->kernel->name +
                         "' was loaded for another device than the stream's");
  Launch launch;
  launch.kernel = function->kernel;
  launch.grid = {gridX, gridY, gridZ};
  launch.block = {blockX, blockY, blockZ};
  launch.dynamicShared = sharedBytes;
  launch.device = call.stream->context->device;
  launch.memory = &call.driver.memory;
  launch.hasPeer = [context = call.stream->context](int other) {
    return context->peers.count(other) > 0;
  };
  if (CUresult error = checkLaunch(call, launch))
    return error;
  readParameters(launch, parameters);
  return call.driver.submit(
      *call.stream, {"kernel '" + launch.kernel->name + "'",
                     call.stream->context, [launch](const Actor &actor) {
                       Launch now = launch;
                       now.actor = actor;
                       now.run();
                       return now.failure;
                     }});
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *userData) {
  StreamCall call("cuLaunchHostFunc", stream);
  if (call.error())
    return call.error();
  Driver *driver = &call.driver;
  std::mutex *lock = &driver->mutex;
  return call.driver.submit(
      *call.stream,
      {"a function of the host", call.stream->context, [=](const Actor &actor) {
         driver->memory.inFlight.wait(driver->timeline, *actor.clock);
         // It may wait for what other threads submit.
         lock->unlock();
         function(userData);
         lock->lock();
         return Failure();
       }});
}

CUresult
graphcEmulatorEnqueue(CUstream stream, const char *name,
                      const GraphcEmulatorRange *reads, size_t readCount,
                      const GraphcEmulatorRange *writes, size_t writeCount,
                      void (*function)(void *const *reads, void *const *writes,
                                       const void *arguments),
                      const void *arguments, size_t argumentBytes) {
  StreamCall call(name, stream);
  if (call.error())
    return call.error();
  auto first = static_cast<const uint8_t *>(arguments);
  std::vector<uint8_t> copy(first, first + argumentBytes);
  Ranges from(reads, reads + readCount), to(writes, writes + writeCount);
  Memory *memory = &call.driver.memory;
  std::string who = std::string("library call '") + name + "'";
  return call.driver.submit(
      *call.stream,
      {who, call.stream->context, [=](const Actor &actor) {
         std::vector<void *> sources, results;
         Failure failure =
             useAll(*memory, from, AccessKind::Read, actor, who, sources);
         for (const GraphcEmulatorRange &range : from)
           if (!failure.code)
             failure =
                 checkUninitialised(*memory, range.address, range.bytes, who);
         if (!failure.code)
           failure =
               useAll(*memory, to, AccessKind::Write, actor, who, results);
         if (!failure.code)
           function(sources.data(), results.data(), copy.data());
         return failure;
       }});
}
