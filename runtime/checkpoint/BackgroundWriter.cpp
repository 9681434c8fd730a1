// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/BackgroundWriter.h"

#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace graphc::runtime {

BackgroundWriter::~BackgroundWriter() {
  {
    MutexLock lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

Status BackgroundWriter::start(Job job) {
  Status before = finish();
  if (!thread.joinable()) {
    try {
      thread = std::thread([this] { work(); });
    } catch (const std::system_error &) {
      Status now = job();
      MutexLock lock(mutex);
      last = now;
      return before;
    }
  }
  {
    MutexLock lock(mutex);
    next = std::move(job);
    hasJob = true;
  }
  changed.notify_all();
  return before;
}

Status BackgroundWriter::finish() {
  MutexLock lock(mutex);
  while (hasJob)
    changed.wait(lock.native());
  return std::exchange(last, Status::ok());
}

bool BackgroundWriter::isBusy() const {
  MutexLock lock(mutex);
  return hasJob;
}

Status doInSpareTime(const BackgroundWriter::Job &job) {
  Status status;
  try {
    std::thread([&] {
      constexpr int kLeast = 19;
      ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLeast);
      status = job();
    }).join();
  } catch (const std::system_error &) {
    return job();
  }
  return status;
}

void BackgroundWriter::work() {
  MutexLock lock(mutex);
  while (true) {
    while (!hasJob && !isEnding)
      changed.wait(lock.native());
    if (!hasJob)
      return;
    Job job = std::move(next);
    next = nullptr;
    lock.unlock();
    Status done = job();
    job = nullptr; // what it held is free before its end is told
    lock.lock();
    last = done;
    hasJob = false;
    changed.notify_all();
  }
}

} // namespace graphc::runtime
