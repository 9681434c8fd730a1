// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/emulator/Shadow.h"

#include <algorithm>

namespace graphc::emulator {

namespace {

constexpr uint64_t kPageBytes = 1024;

uint32_t barriers(uint32_t epoch) { return epoch >> 12; }

/// The bits of [offset, offset + bytes) that lie in the word of `offset`.
uint64_t maskInWord(uint64_t offset, uint64_t bytes) {
  uint64_t first = offset % 64, count = std::min<uint64_t>(bytes, 64 - first);
  return (count == 64 ? ~0ull : (1ull << count) - 1) << first;
}

Access noted(const Actor &actor, bool isAtomic) {
  Access access;
  access.operation = actor.operation;
  access.block = actor.block;
  access.epoch = actor.epoch;
  access.thread = actor.thread;
  access.line = actor.line;
  access.isAtomic = isAtomic;
  return access;
}

} // namespace

Shadow::Shadow(uint64_t bytes, bool isOfOneBlock)
    : isOfOneBlock(isOfOneBlock), initialised((bytes + 63) / 64),
      pages((bytes + kPageBytes - 1) / kPageBytes) {}

bool Shadow::isInitialised(uint64_t offset, uint64_t bytes) const {
  while (bytes) {
    uint64_t mask = maskInWord(offset, bytes);
    if (~initialised[offset / 64] & mask)
      return false;
    uint64_t count = std::min<uint64_t>(bytes, 64 - offset % 64);
    offset += count;
    bytes -= count;
  }
  return true;
}

void Shadow::markInitialised(uint64_t offset, uint64_t bytes) {
  while (bytes) {
    initialised[offset / 64] |= maskInWord(offset, bytes);
    uint64_t count = std::min<uint64_t>(bytes, 64 - offset % 64);
    offset += count;
    bytes -= count;
  }
}

void Shadow::forget() { std::fill(initialised.begin(), initialised.end(), 0); }

Shadow::Page &Shadow::pageOf(uint64_t offset, uint64_t bytes) {
  std::unique_ptr<Page> &page = pages[offset / kPageBytes];
  if (!page) {
    page = std::make_unique<Page>();
    page->cells.resize(kPageBytes / 4);
  }
  if (page->shift && (offset | bytes) % 4) {
    std::vector<Cell> bytewise(kPageBytes);
    for (size_t i = 0; i < kPageBytes; ++i)
      bytewise[i] = page->cells[i / 4];
    page->cells = std::move(bytewise);
    page->displaced.clear();
    page->shift = 0;
  }
  return *page;
}

Race Shadow::raceWith(const Access &other, const Actor &actor,
                      bool isAtomic) const {
  if (!other.operation)
    return Race::None;
  if (other.operation != actor.operation)
    return actor.timeline->isBefore(other.operation, *actor.clock)
               ? Race::None
               : Race::Operations;
  if (other.isAtomic && isAtomic)
    return Race::None;
  if (other.block != actor.block)
    return isOfOneBlock ? Race::None : Race::Blocks;
  bool isSameWarp = other.thread / 32 == actor.thread / 32;
  if (other.thread == actor.thread ||
      barriers(other.epoch) != barriers(actor.epoch) ||
      (isSameWarp && other.epoch != actor.epoch))
    return Race::None;
  return Race::Threads;
}

Race Shadow::raceWithReads(const Access &other, const Actor &actor,
                           bool isAtomic) const {
  Race race = raceWith(other, actor, isAtomic);
  if (race != Race::None || other.operation != actor.operation ||
      (other.isAtomic && isAtomic))
    return race;
  if (other.manyBlocks && !isOfOneBlock)
    return Race::Blocks;
  if (other.block != actor.block)
    return Race::None;
  bool isSameEpoch = barriers(other.epoch) == barriers(actor.epoch);
  return (other.manyWarps && isSameEpoch) ||
                 (other.manyLanes && other.epoch == actor.epoch)
             ? Race::Threads
             : Race::None;
}

void Shadow::noteRead(Page &page, uint32_t number, const Actor &actor,
                      bool isAtomic) {
  Access &read = page.cells[number].read;
  Access now = noted(actor, isAtomic);
  if (read.operation == actor.operation) {
    bool isSameBlock = read.block == actor.block;
    bool isOther = read.thread != actor.thread;
    now.manyBlocks = read.manyBlocks || !isSameBlock;
    if (isSameBlock && barriers(read.epoch) == barriers(actor.epoch))
      now.manyWarps = read.manyWarps || read.thread / 32 != actor.thread / 32;
    if (isSameBlock && read.epoch == actor.epoch)
      now.manyLanes = read.manyLanes || isOther;
  } else if (read.operation &&
             !actor.timeline->isBefore(read.operation, *actor.clock)) {
    // Without a limit, two streams that read the same would fill the memory.
    if (page.displaced.size() >= 2 * kPageBytes)
      page.displaced.erase(page.displaced.begin(),
                           page.displaced.begin() + kPageBytes);
    page.displaced.emplace_back(number, read);
  }
  read = now;
}

Conflict Shadow::useAfterDisplaced(Page &page, uint32_t number,
                                   const Actor &actor) {
  for (const auto &[cell, access] : page.displaced)
    if (cell == number &&
        !actor.timeline->isBefore(access.operation, *actor.clock))
      return {Race::Operations, access, false};
  std::erase_if(page.displaced,
                [&](const auto &entry) { return entry.first == number; });
  return {};
}

Conflict Shadow::use(Page &page, uint32_t number, const Actor &actor,
                     AccessKind kind) {
  Cell &cell = page.cells[number];
  bool isAtomic = kind == AccessKind::Atomic;
  if (Race race = raceWith(cell.write, actor, isAtomic); race != Race::None)
    return {race, cell.write, true};
  if (kind == AccessKind::Read) {
    noteRead(page, number, actor, false);
    return {};
  }
  if (Race race = raceWithReads(cell.read, actor, isAtomic); race != Race::None)
    return {race, cell.read, false};
  if (!page.displaced.empty())
    if (Conflict conflict = useAfterDisplaced(page, number, actor);
        conflict.race != Race::None)
      return conflict;
  cell.write = noted(actor, isAtomic);
  return {};
}

Conflict Shadow::use(uint64_t offset, uint64_t bytes, const Actor &actor,
                     AccessKind kind) {
  uint64_t end = offset + bytes;
  while (offset < end) {
    uint64_t stop = std::min(end, (offset / kPageBytes + 1) * kPageBytes);
    Page &page = pageOf(offset, stop - offset);
    for (; offset < stop; offset += 1ull << page.shift) {
      auto number = static_cast<uint32_t>(offset % kPageBytes >> page.shift);
      if (Conflict conflict = use(page, number, actor, kind);
          conflict.race != Race::None)
        return conflict;
    }
  }
  return {};
}

} // namespace graphc::emulator
