// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/SpareThread.h"

#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace graphc::runtime {

void SpareThread::add(std::function<void()> job) {
  {
    MutexLock lock(mutex);
    if (isEnding)
      return;
    if (!hasBegun) {
      try {
        thread = std::thread([this] { work(); });
        hasBegun = true;
      } catch (const std::system_error &) { // without one, below
      }
    }
    if (hasBegun) {
      jobs.push_back(std::move(job));
      job = nullptr;
    }
  }
  if (job)
    return job();
  changed.notify_one();
}

void SpareThread::stop() {
  {
    MutexLock lock(mutex);
    isEnding = true;
    jobs.clear();
  }
  changed.notify_one();
  if (thread.joinable())
    thread.join();
}

void SpareThread::work() {
  constexpr int kLeast = 19;
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLeast);
  MutexLock lock(mutex);
  while (true) {
    while (jobs.empty() && !isEnding)
      changed.wait(lock.native());
    if (isEnding)
      return;
    std::function<void()> job = std::move(jobs.front());
    jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

} // namespace graphc::runtime
