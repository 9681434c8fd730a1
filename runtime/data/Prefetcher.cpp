// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/Prefetcher.h"

#include "runtime/base/Clock.h"
#include "runtime/data/File.h"

#include <cstring>
#include <system_error>

namespace graphc::runtime {

Prefetcher::Prefetcher(std::unique_ptr<BatchStream> stream,
                       std::span<const size_t> rowBytes, const Options &options)
    : stream(std::move(stream)), rowBytes(rowBytes.begin(), rowBytes.end()),
      options(options) {}

Status Prefetcher::addBatch() {
  auto batch = std::make_unique<Batch>();
  for (size_t bytes : rowBytes) {
    size_t all = 0;
    if (__builtin_mul_overflow(bytes, options.rows, &all))
      all = SIZE_MAX;
    GRAPHC_TRY(resizeBytes(batch->bytes.emplace_back(), all,
                           "the batches made ahead"));
    batch->pointers.push_back(batch->bytes.back().data());
  }
  for (size_t part = 0; part < parts(); ++part) {
    batch->partPointers.push_back(batch->pointers);
    for (size_t f = 0; f < rowBytes.size(); ++f)
      batch->partPointers[part][f] +=
          options.rows * part / parts() * rowBytes[f];
  }
  batch->drawn.rows.reserve(options.rows);
  batches.push_back(std::move(batch));
  queue.reserve(batches.size());
  spare.reserve(batches.size());
  spare.push_back(batches.back().get());
  return Status::ok();
}

Status Prefetcher::startThreads() {
  try {
    for (size_t i = 0; i < options.threads; ++i)
      threads.emplace_back([this] { work(); });
  } catch (const std::system_error &error) {
    if (threads.empty())
      return resourceExhausted(std::string("cannot start a thread to read "
                                           "ahead: ") +
                               error.what() + "; declare prefetch 0");
  }
  return Status::ok();
}

StatusOr<std::unique_ptr<Prefetcher>>
Prefetcher::start(std::unique_ptr<BatchStream> stream,
                  std::span<const size_t> rowBytes, const Options &options) {
  std::unique_ptr<Prefetcher> source(
      new Prefetcher(std::move(stream), rowBytes, options));
  {
    MutexLock lock(source->mutex);
    for (size_t i = 0; i < options.depth; ++i)
      GRAPHC_TRY(source->addBatch());
  }
  GRAPHC_TRY(source->startThreads());
  return source;
}

Prefetcher::~Prefetcher() { joinThreads(); }

void Prefetcher::joinThreads() {
  {
    MutexLock lock(mutex);
    stopping = true;
  }
  becameFree.notify_all();
  for (std::thread &thread : threads)
    thread.join();
  threads.clear();
}

Status Prefetcher::rewind(uint64_t batches) {
  joinThreads();
  Status status = stream->rewind(batches);
  {
    MutexLock lock(mutex);
    spare.insert(spare.end(), queue.begin(), queue.end());
    queue.clear();
    hasEnded = stopping = false;
  }
  Status started = startThreads();
  {
    MutexLock lock(mutex);
    failure = started;
  }
  return started.isOk() ? status : started;
}

Prefetcher::Batch *Prefetcher::unmade() {
  for (Batch *batch : queue)
    if (batch->partsBegun < batch->parts)
      return batch;
  return nullptr;
}

void Prefetcher::drawBatch(MutexLock &lock) {
  Batch *batch = spare.back();
  spare.pop_back();
  isDrawing = true;
  batch->beginNanos = observer && observer->isWanted() ? nowNanos() : 0;
  lock.unlock();
  Status status = stream->draw(batch->drawn);
  lock.lock();
  isDrawing = false;
  // A failure has no parts: it is done at once.
  batch->parts = status.isOk() ? parts() : 0;
  batch->partsBegun = batch->partsDone = 0;
  batch->failedPart = batch->parts;
  hasEnded |= !status.isOk();
  batch->status = std::move(status);
  queue.push_back(batch);
  becameFilled.notify_one();
  becameFree.notify_all();
}

void Prefetcher::makePart(Batch &batch, MutexLock &lock) {
  size_t part = batch.partsBegun++;
  lock.unlock();
  size_t begin = options.rows * part / batch.parts;
  size_t end = options.rows * (part + 1) / batch.parts;
  Status status =
      stream->make(batch.drawn, begin, end, batch.partPointers[part]);
  lock.lock();
  if (!status.isOk() && part < batch.failedPart) {
    batch.failedPart = part;
    batch.status = std::move(status);
    hasEnded = true;
  }
  ++batch.partsDone;
  if (batch.isDone() && batch.beginNanos != 0 && batch.status.isOk() &&
      observer)
    observer->onBatch(batch.beginNanos, nowNanos());
  if (batch.isDone())
    becameFilled.notify_one();
}

void Prefetcher::work() {
  MutexLock lock(mutex);
  while (!stopping)
    if (Batch *batch = unmade())
      makePart(*batch, lock);
    else if (!spare.empty() && !isDrawing && !hasEnded &&
             queue.size() < options.depth)
      drawBatch(lock);
    else
      becameFree.wait(lock.native());
}

StatusOr<Prefetcher::Batch *> Prefetcher::awaitFirst(MutexLock &lock) {
  GRAPHC_TRY(failure);
  for (;;) {
    if (!queue.empty()) {
      Batch *first = queue.front();
      if (first->isDone())
        return first;
      if (first->partsBegun < first->parts) {
        makePart(*first, lock);
        continue;
      }
    } else if (spare.empty() && !isDrawing) {
      GRAPHC_TRY(addBatch());
      becameFree.notify_one();
    }
    becameFilled.wait(lock.native());
  }
}

void Prefetcher::observe(std::shared_ptr<BatchObserver> hearer) {
  MutexLock lock(mutex);
  observer = std::move(hearer);
}

Status Prefetcher::ready() {
  MutexLock lock(mutex);
  GRAPHC_ASSIGN_OR_RETURN(Batch * first, awaitFirst(lock));
  return first->status;
}

StatusOr<Prefetcher::Batch *> Prefetcher::acquire() {
  MutexLock lock(mutex);
  GRAPHC_ASSIGN_OR_RETURN(Batch * first, awaitFirst(lock));
  if (!first->status.isOk())
    return first->status; // and keep it: nothing follows
  queue.erase(queue.begin());
  becameFree.notify_one();
  return first;
}

void Prefetcher::release(Batch *batch) {
  {
    MutexLock lock(mutex);
    spare.push_back(batch);
  }
  becameFree.notify_one();
}

Status Prefetcher::next(std::span<std::byte *const> fields) {
  GRAPHC_ASSIGN_OR_RETURN(Batch * batch, acquire());
  for (size_t i = 0; i < rowBytes.size(); ++i)
    if (!batch->bytes[i].empty())
      std::memcpy(fields[i], batch->bytes[i].data(), batch->bytes[i].size());
  release(batch);
  return Status::ok();
}

} // namespace graphc::runtime
