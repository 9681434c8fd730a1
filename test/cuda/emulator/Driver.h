// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the emulated driver: devices, contexts, memory, what was
// created.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_DRIVER_H
#define GRAPHC_TEST_CUDA_EMULATOR_DRIVER_H

#include "test/cuda/emulator/Graph.h"
#include "test/cuda/emulator/Launch.h"
#include "test/cuda/emulator/api/DriverApi.h"

#include <map>
#include <mutex>
#include <set>

namespace graphc::emulator {

struct EmulatedDevice {
  uint64_t memory = 0, used = 0;
};

/// The primary context of a device; there are no others.
struct Context {
  int device = 0;
  unsigned references = 0;
  Failure failure; ///< sticks until the context is gone
  std::set<int> peers;
  std::unique_ptr<Stream> defaultStream;
  Clock waitedFor; ///< by the default stream: work of the streams that block
};

struct Function {
  Context *context = nullptr;
  int ptxVersion = 0;
  /// Captured launches keep the kernel, whatever becomes of its module.
  std::shared_ptr<const Kernel> kernel;
};

struct Module {
  Context *context = nullptr;
  std::map<std::string, Function *, std::less<>> functions;
  std::vector<Allocation *> variables;
};

/// The objects of a kind that were created and not destroyed.
template <typename T> class Handles {
public:
  T *add(std::unique_ptr<T> object) {
    T *handle = object.get();
    objects.emplace(handle, std::move(object));
    return handle;
  }
  bool has(T *handle) const { return objects.count(handle); }
  bool destroy(T *handle) { return objects.erase(handle); }
  template <typename F> void each(F &&f) {
    for (auto &[handle, object] : objects)
      f(*object);
  }
  void destroyAll(const Context *context) {
    std::erase_if(objects, [&](const auto &entry) {
      return entry.second->context == context;
    });
  }

private:
  std::map<T *, std::unique_ptr<T>> objects;
};

/// Thread-safety: whoever uses it holds `mutex`, as every Call does. All work
/// is done at once, by the thread that submits it.
class Driver {
public:
  static Driver &get();

  std::mutex mutex;
  bool isInitialised = false;
  int version = 13000;
  int arch = 90; ///< compute capability 9.0
  std::string model;
  std::vector<EmulatedDevice> devices;
  std::vector<Context> contexts; ///< one per device
  Memory memory;
  Timeline timeline;
  Clock host; ///< what the host has waited for
  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Module> modules;
  Handles<Function> functions;
  Handles<Graph> graphs;
  Handles<GraphExec> execs;
  std::string lastError;

  /// Keeps and prints an error.
  CUresult report(int code, const std::string &text);

  /// Does the work at once, or notes it where the stream is being captured.
  CUresult submit(Stream &stream, Operation operation);

  /// The clock of a stream learns what its next work is after.
  void catchUp(Stream &stream);

  /// The host has waited for what the clock knows; the result is an error of
  /// the host's.
  CUresult hostWaits(const Clock &clock);

  /// Does it with the clock and lane given.
  void perform(const Operation &operation, uint32_t lane, Clock &clock);

  void unload(Module &module);

  /// Frees all that belongs to a context; an error names what was left.
  CUresult destroy(Context &context);

private:
  Driver();
};

/// A call of the API: holds the driver's lock, knows the current context.
class Call {
public:
  enum class Needs { Nothing, Driver, Context };

  explicit Call(const char *name, Needs needs = Needs::Context);
  ~Call();

  /// True when the thread is in a call.
  static bool isInside();

  /// Error that keeps the call from going on, or success.
  CUresult error() const { return problem; }
  CUresult fail(CUresult code, const std::string &text) const;

  CUresult noSuch(const char *kind) const;

  Driver &driver;
  Context *context = nullptr;

protected:
  CUresult problem = CUDA_SUCCESS;

private:
  std::unique_lock<std::mutex> lock;
  const char *name;
};

/// A call about a stream; that it is gone is an error.
class StreamCall : public Call {
public:
  StreamCall(const char *name, CUstream handle);

  Stream *stream = nullptr;
};

/// The context that is current in this thread.
Context *&currentContext();

} // namespace graphc::emulator

#endif
