// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/ShardedSource.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace graphc::runtime {

StatusOr<std::unique_ptr<ShardedSource>>
ShardedSource::open(const DatasetSpec &spec, std::string_view files,
                    uint64_t runSeed) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TableSource> table,
                          TableSource::openTable(spec, files, runSeed));
  auto options = table->aheadOptions(spec);
  std::unique_ptr<ShardedSource> source(
      new ShardedSource(std::move(table), spec.batch));
  if (options) {
    GRAPHC_ASSIGN_OR_RETURN(source->ahead,
                            Prefetcher::start(std::move(source->owned),
                                              source->table.exampleBytes(),
                                              *options));
  }
  return source;
}

Status ShardedSource::drawBatch() {
  if (spare.empty())
    spare.push_back(std::make_unique<Batch>());
  if (ahead) {
    GRAPHC_ASSIGN_OR_RETURN(spare.back()->made, ahead->acquire());
  } else {
    GRAPHC_TRY(table.draw(spare.back()->drawn));
  }
  current.push_back(std::move(spare.back()));
  spare.pop_back();
  Batch &drawn = *current.back();
  drawn.shards = 0;
  drawn.written = 0;
  drawn.taken.clear();
  return Status::ok();
}

StatusOr<ShardedSource::Batch *> ShardedSource::take(BatchPart part) {
  auto isFor = [&](const std::unique_ptr<Batch> &batch) {
    return batch->shards == 0 ||
           (batch->shards == part.shards && !batch->taken[part.shard]);
  };
  auto found = std::find_if(current.begin(), current.end(), isFor);
  if (found == current.end()) {
    GRAPHC_TRY(drawBatch());
    found = current.end() - 1;
  }
  Batch &batch = **found;
  batch.shards = part.shards;
  batch.taken.resize(part.shards);
  batch.taken[part.shard] = true;
  return &batch;
}

void ShardedSource::finishPart(Batch *batch) {
  if (++batch->written < batch->shards)
    return;
  auto isIt = [&](const std::unique_ptr<Batch> &each) {
    return each.get() == batch;
  };
  finish(static_cast<size_t>(
      std::find_if(current.begin(), current.end(), isIt) - current.begin()));
}

void ShardedSource::finish(size_t index) {
  spare.push_back(std::move(current[index]));
  current.erase(current.begin() + static_cast<ptrdiff_t>(index));
  if (spare.back()->made)
    ahead->release(std::exchange(spare.back()->made, nullptr));
}

void ShardedSource::copyRows(const Prefetcher::Batch &made, size_t begin,
                             size_t end,
                             std::span<std::byte *const> fields) const {
  std::span<const size_t> bytes = table.exampleBytes();
  for (size_t f = 0; f < bytes.size(); ++f)
    if (bytes[f] > 0)
      std::memcpy(fields[f], made.fields()[f] + begin * bytes[f],
                  (end - begin) * bytes[f]);
}

Status ShardedSource::nextPart(BatchPart part,
                               std::span<std::byte *const> fields) {
  Batch *taken = nullptr;
  {
    MutexLock lock(mutex);
    GRAPHC_ASSIGN_OR_RETURN(taken, take(part));
  }
  size_t begin = batch * part.shard / part.shards;
  size_t end = batch * (part.shard + 1) / part.shards;
  Status status;
  if (taken->made)
    copyRows(*taken->made, begin, end, fields);
  else
    status = table.make(taken->drawn, begin, end, fields);
  MutexLock lock(mutex);
  finishPart(taken);
  return status;
}

Status ShardedSource::ready() {
  MutexLock lock(mutex);
  return current.empty() ? drawBatch() : Status::ok();
}

Status ShardedSource::rewind(uint64_t batches) {
  MutexLock lock(mutex);
  while (!current.empty())
    finish(current.size() - 1);
  return ahead ? ahead->rewind(batches) : table.rewind(batches);
}

void ShardedSource::dropRests() {
  MutexLock lock(mutex);
  for (size_t i = current.size(); i-- > 0;) {
    if (current[i]->shards == 0)
      continue;
    finish(i);
  }
}

} // namespace graphc::runtime
