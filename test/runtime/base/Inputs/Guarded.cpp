// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A member that is used with its mutex held, and, without LOCKED, without.
#include "runtime/base/ThreadAnnotations.h"

using graphc::runtime::Mutex;
using graphc::runtime::MutexLock;

class Counter {
public:
  void add() {
#ifdef LOCKED
    MutexLock lock(mutex);
#endif
    addLocked();
    ++count;
  }

private:
  void addLocked() GRAPHC_REQUIRES(mutex) { ++count; }

  Mutex mutex;
  int count GRAPHC_GUARDED_BY(mutex) = 0;
};

void count() { Counter().add(); }
