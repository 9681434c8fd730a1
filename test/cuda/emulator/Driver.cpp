// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/emulator/Driver.h"

#include <cstdio>
#include <cstdlib>

namespace graphc::emulator {

namespace {

/// A number from the environment; K, M and G are powers of 1024.
uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return otherwise;
  char *end = nullptr;
  uint64_t value = std::strtoull(text, &end, 10);
  switch (*end) {
  case 'K':
    return value << 10;
  case 'M':
    return value << 20;
  case 'G':
    return value << 30;
  default:
    return value;
  }
}

} // namespace

Driver &Driver::get() {
  static Driver driver;
  return driver;
}

Driver::Driver() {
  size_t count = setting("GRAPHC_EMULATED_GPUS", 1);
  version = static_cast<int>(setting("GRAPHC_EMULATED_DRIVER", 13000));
  arch = static_cast<int>(setting("GRAPHC_EMULATED_ARCH", 90));
  const char *name = std::getenv("GRAPHC_EMULATED_MODEL");
  model = name ? name : "Emulated GPU";
  devices.resize(count);
  contexts.resize(count);
  for (size_t i = 0; i < count; ++i) {
    devices[i].memory = setting("GRAPHC_EMULATED_MEMORY", 16ull << 30);
    contexts[i].device = static_cast<int>(i);
  }
}

CUresult Driver::report(int code, const std::string &text) {
  lastError = text;
  std::fprintf(stderr, "CUDA emulator: %s\n", text.c_str());
  return static_cast<CUresult>(code);
}

void Driver::perform(const Operation &operation, uint32_t lane, Clock &clock) {
  Actor actor;
  actor.operation = timeline.begin(lane, clock, operation.name);
  actor.timeline = &timeline;
  actor.clock = &clock;
  Failure failure = operation.run(actor);
  if (!failure.code)
    return;
  report(failure.code, failure.text);
  if (!operation.context->failure.code)
    operation.context->failure = failure;
}

CUresult Driver::submit(Stream &stream, Operation operation) {
  if (stream.capture) {
    captureNode(stream, std::move(operation));
    return CUDA_SUCCESS;
  }
  Context &context = *stream.context;
  if (context.failure.code)
    return static_cast<CUresult>(context.failure.code);
  catchUp(stream);
  perform(operation, stream.lane, stream.clock);
  if (stream.waitsForDefault)
    context.waitedFor.join(stream.clock);
  return CUDA_SUCCESS;
}

CUresult Driver::hostWaits(const Clock &clock) {
  host.join(clock);
  if (memory.inFlight.wait(timeline, host))
    return CUDA_SUCCESS;
  return report(CUDA_ERROR_LAUNCH_FAILED,
                "the host wrote to pinned memory from which a copy to the "
                "device was under way; wait for the copy first");
}

void Driver::catchUp(Stream &stream) {
  Context &context = *stream.context;
  stream.clock.join(host);
  if (&stream == context.defaultStream.get())
    stream.clock.join(context.waitedFor);
  else if (stream.waitsForDefault)
    stream.clock.join(context.defaultStream->clock);
}

void Driver::unload(Module &module) {
  for (Allocation *variable : module.variables)
    memory.free(*variable);
  for (auto &[name, function] : module.functions)
    functions.destroy(function);
}

CUresult Driver::destroy(Context &context) {
  std::string left;
  for (Allocation *allocation : memory.living(context.device)) {
    left += (left.empty() ? "" : ", ") + allocation->name;
    memory.free(*allocation);
  }
  devices[context.device].used = 0;
  streams.destroyAll(&context);
  events.destroyAll(&context);
  modules.each([&](Module &module) {
    if (module.context == &context)
      unload(module);
  });
  modules.destroyAll(&context);
  graphs.destroyAll(&context);
  execs.destroyAll(&context);
  context.failure = {};
  context.peers.clear();
  context.waitedFor = {};
  context.defaultStream.reset();
  if (left.empty())
    return CUDA_SUCCESS;
  return report(CUDA_ERROR_ILLEGAL_STATE,
                "the context of GPU " + std::to_string(context.device) +
                    " is released while memory is not freed: " + left);
}

Context *&currentContext() {
  thread_local Context *context = nullptr;
  return context;
}

namespace {
/// There when a thread begins: memory made for it at the first look would be
/// asked of malloc, which a test that counts allocations makes look here.
[[gnu::tls_model("initial-exec")]] thread_local int gCalls = 0;
} // namespace

bool Call::isInside() { return gCalls > 0; }

Call::~Call() { --gCalls; }

Call::Call(const char *name, Needs needs)
    : driver(Driver::get()), lock(driver.mutex), name(name) {
  ++gCalls;
  context = currentContext();
  if (context && !context->references)
    context = nullptr;
  if (needs != Needs::Nothing && !driver.isInitialised)
    problem = fail(CUDA_ERROR_NOT_INITIALIZED, "call cuInit first");
  else if (needs == Needs::Context && !context)
    problem = fail(CUDA_ERROR_INVALID_CONTEXT,
                   "no context is current in this thread; call "
                   "cuCtxSetCurrent first");
}

CUresult Call::fail(CUresult code, const std::string &text) const {
  return driver.report(code, std::string(name) + ": " + text);
}

CUresult Call::noSuch(const char *kind) const {
  return fail(CUDA_ERROR_INVALID_HANDLE,
              std::string("the ") + kind +
                  " was never created, or is destroyed already");
}

StreamCall::StreamCall(const char *name, CUstream handle) : Call(name) {
  if (problem)
    return;
  // Null, 1 and 2 name the default streams of the process and of the thread.
  if (reinterpret_cast<uintptr_t>(handle) <= 2)
    stream = context->defaultStream.get();
  else if (driver.streams.has(handle))
    stream = handle;
  else
    problem = noSuch("stream");
}

} // namespace graphc::emulator
