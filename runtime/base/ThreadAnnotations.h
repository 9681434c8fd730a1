// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang's thread-safety annotations, and a mutex that they know: with
// -Wthread-safety the compiler warns where a member is used without the mutex
// that guards it.
#ifndef GRAPHC_RUNTIME_BASE_THREADANNOTATIONS_H
#define GRAPHC_RUNTIME_BASE_THREADANNOTATIONS_H

#include <mutex>

#ifdef __clang__
#define GRAPHC_THREAD_ANNOTATION(text) __attribute__((text))
#else
#define GRAPHC_THREAD_ANNOTATION(text)
#endif

/// A member that is used only while the mutex is held.
#define GRAPHC_GUARDED_BY(mutex) GRAPHC_THREAD_ANNOTATION(guarded_by(mutex))
/// A pointer whose target is used only while the mutex is held.
#define GRAPHC_PT_GUARDED_BY(mutex)                                            \
  GRAPHC_THREAD_ANNOTATION(pt_guarded_by(mutex))
/// A function whose callers hold the mutex.
#define GRAPHC_REQUIRES(...)                                                   \
  GRAPHC_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
/// A function whose callers do not hold the mutex: it takes it.
#define GRAPHC_EXCLUDES(...)                                                   \
  GRAPHC_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

namespace graphc::runtime {

/// A std::mutex that the annotations know.
class GRAPHC_THREAD_ANNOTATION(capability("mutex")) Mutex {
public:
  void lock() GRAPHC_THREAD_ANNOTATION(acquire_capability()) { native.lock(); }
  void unlock() GRAPHC_THREAD_ANNOTATION(release_capability()) {
    native.unlock();
  }

private:
  friend class MutexLock;
  std::mutex native;
};

/// Holds a Mutex for a scope, or but for a while.
class GRAPHC_THREAD_ANNOTATION(scoped_lockable) MutexLock {
public:
  explicit MutexLock(Mutex &mutex)
      GRAPHC_THREAD_ANNOTATION(acquire_capability(mutex))
      : held(mutex.native) {}
  ~MutexLock() GRAPHC_THREAD_ANNOTATION(release_capability()) {}
  MutexLock(const MutexLock &) = delete;
  MutexLock &operator=(const MutexLock &) = delete;

  void lock() GRAPHC_THREAD_ANNOTATION(acquire_capability()) { held.lock(); }
  void unlock() GRAPHC_THREAD_ANNOTATION(release_capability()) {
    held.unlock();
  }
  /// For a std::condition_variable, which gives the mutex back before it
  /// returns.
  std::unique_lock<std::mutex> &native() { return held; }

private:
  std::unique_lock<std::mutex> held;
};

} // namespace graphc::runtime

#endif
