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
    std::lock_guard lock(mutex);
    stopping = true;
  }
  becameFree.notify_one();
  if (thread.joinable())
    thread.join();
}

void Prefetcher::produce() {
  std::unique_lock lock(mutex);
  for (bool more = true; more;) {
    becameFree.wait(lock, [&] { return stopping || filled < slots.size(); });
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

Status Prefetcher::ready() {
  std::unique_lock lock(mutex);
  becameFilled.wait(lock, [&] { return filled > 0; });
  return slots[first].status;
}

Status Prefetcher::next(std::span<std::byte *const> fields) {
  {
    std::unique_lock lock(mutex);
    becameFilled.wait(lock, [&] { return filled > 0; });
  }
  const Slot &slot = slots[first];
  if (!slot.status.isOk())
    return slot.status; // and keep it: the thread has ended
  for (size_t i = 0; i < slot.fields.size(); ++i)
    if (!slot.fields[i].empty())
      std::memcpy(fields[i], slot.fields[i].data(), slot.fields[i].size());
  {
    std::lock_guard lock(mutex);
    first = (first + 1) % slots.size();
    --filled;
  }
  becameFree.notify_one();
  return Status::ok();
}

} // namespace graphc::runtime
