// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/Prefetcher.h"

#include "runtime/data/File.h"

#include <cstring>
#include <system_error>

namespace graphc::runtime {

Prefetcher::Prefetcher(std::unique_ptr<DataSource> inner)
    : inner(std::move(inner)) {}

Status Prefetcher::allocate(std::span<const size_t> batchBytes, size_t depth) {
  slots.resize(depth);
  for (Slot &slot : slots)
    for (size_t bytes : batchBytes) {
      GRAPHC_TRY(resizeBytes(slot.fields.emplace_back(), bytes,
                             "the batches made ahead"));
      slot.pointers.push_back(slot.fields.back().data());
    }
  return Status::ok();
}

StatusOr<std::unique_ptr<DataSource>>
Prefetcher::start(std::unique_ptr<DataSource> inner,
                  std::span<const size_t> batchBytes, size_t depth) {
  std::unique_ptr<Prefetcher> source(new Prefetcher(std::move(inner)));
  GRAPHC_TRY(source->allocate(batchBytes, depth));
  try {
    source->thread = std::thread([raw = source.get()] { raw->produce(); });
  } catch (const std::system_error &error) {
    return resourceExhausted(std::string("cannot start a thread to read "
                                         "ahead: ") +
                             error.what() + "; declare prefetch 0");
  }
  return std::unique_ptr<DataSource>(std::move(source));
}

Prefetcher::~Prefetcher() {
  {
    MutexLock lock(mutex);
    stopping = true;
  }
  becameFree.notify_one();
  if (thread.joinable())
    thread.join();
}

void Prefetcher::produce() {
  MutexLock lock(mutex);
  for (bool more = true; more;) {
    while (!stopping && filled == slots.size())
      becameFree.wait(lock.native());
    if (stopping)
      return;
    Slot &slot = slots[(first + filled) % slots.size()];
    lock.unlock();
    slot.status = inner->next(slot.pointers);
    more = slot.status.isOk();
    lock.lock();
    ++filled;
    becameFilled.notify_one();
  }
}

size_t Prefetcher::waitForBatch() {
  MutexLock lock(mutex);
  while (filled == 0)
    becameFilled.wait(lock.native());
  return first;
}

Status Prefetcher::ready() { return slots[waitForBatch()].status; }

Status Prefetcher::next(std::span<std::byte *const> fields) {
  const Slot &slot = slots[waitForBatch()];
  if (!slot.status.isOk())
    return slot.status; // and keep it: the thread has ended
  for (size_t i = 0; i < slot.fields.size(); ++i)
    if (!slot.fields[i].empty())
      std::memcpy(fields[i], slot.fields[i].data(), slot.fields[i].size());
  {
    MutexLock lock(mutex);
    first = (first + 1) % slots.size();
    --filled;
  }
  becameFree.notify_one();
  return Status::ok();
}

} // namespace graphc::runtime
