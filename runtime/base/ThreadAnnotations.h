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
/// A function that is not analysed; a comment gives the reason.
#define GRAPHC_NO_THREAD_ANALYSIS                                              \
  GRAPHC_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace graphc::runtime {

/// A std::mutex that the annotations know.
class GRAPHC_THREAD_ANNOTATION(capability("mutex")) Mutex {
public:
  void lock() GRAPHC_THREAD_ANNOTATION(acquire_capability()) { native.lock(); }
  void unlock() GRAPHC_THREAD_ANNOTATION(release_capability()) {
    native.unlock();
  }
  /// Tells the analysis what it cannot see: the caller holds it.
  void assertHeld() GRAPHC_THREAD_ANNOTATION(assert_capability(this)) {}

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
  /// Takes the mutex where nobody holds it, see ownsLock(); for functions that
  /// are not analysed.
  MutexLock(Mutex &mutex, std::try_to_lock_t) GRAPHC_NO_THREAD_ANALYSIS
      : held(mutex.native, std::try_to_lock) {}
  ~MutexLock() GRAPHC_THREAD_ANNOTATION(release_capability()) {}
  MutexLock(const MutexLock &) = delete;
  MutexLock &operator=(const MutexLock &) = delete;

  void lock() GRAPHC_THREAD_ANNOTATION(acquire_capability()) { held.lock(); }
  void unlock() GRAPHC_THREAD_ANNOTATION(release_capability()) {
    held.unlock();
  }
  bool tryLock() GRAPHC_NO_THREAD_ANALYSIS { return held.try_lock(); }
  bool ownsLock() const { return held.owns_lock(); }
  /// For a std::condition_variable, which gives the mutex back before it
  /// returns.
  std::unique_lock<std::mutex> &native() { return held; }

private:
  std::unique_lock<std::mutex> held;
};

} // namespace graphc::runtime

#endif
