// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ring all-reduce: chunks, and their ways around one ring of all devices, or
// around rings within the tasks and rings between them.
#include "lib/replication/TowerSums.h"

#include "dialects/tfir/training/Arithmetic.h"
#include "lib/replication/sums/RingChunks.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

/// The chunks of each term, where it is: `[chunk][term]`.
TowerSums::Chunks TowerSums::cut(Location loc, ArrayRef<Term> terms,
                                 ArrayRef<int64_t> sizes) {
  Chunks chunks(sizes.size());
  int64_t begin = 0;
  for (auto [chunk, size] : llvm::zip_equal(chunks, sizes)) {
    for (Term term : terms) {
      moveTo(term.device);
      chunk.push_back({slice(loc, term.value, begin, size), term.device});
    }
    begin += size;
  }
  return chunks;
}

//===-- Reduce-scatter ----------------------------------------------------===//

/// Adds what two devices have where it has the shortest way to the owner of
/// the chunk: within a task on the device that has the owner's place there.
unsigned TowerSums::meeting(bool isTwoLevel, unsigned owner, unsigned x,
                            unsigned y) const {
  if (!isTwoLevel)
    return owner;
  unsigned size = layout.devicesPerTask();
  unsigned task = x / size;
  if (task != y / size && (task == owner / size || y / size == owner / size))
    return owner;
  return task * size + owner % size;
}

/// All parts of a chunk come to the device that adds them, each over a link of
/// its own: as many bytes as around the ring, in the order of the tree.
TowerSums::Values TowerSums::scatterDirectly(Location loc,
                                             ArrayRef<SmallVector<Term>> chunks,
                                             bool isTwoLevel) {
  Values sums(chunks.size());
  for (auto [number, terms] : llvm::enumerate(chunks)) {
    unsigned owner = static_cast<unsigned>(number);
    if (terms.empty())
      continue;
    Term sum = sumOnDevices(loc, terms, [&](unsigned x, unsigned y) {
      return meeting(isTwoLevel, owner, x, y);
    });
    // The last addition of a tree that is not even may be elsewhere.
    if (sum.device != owner) {
      sum = enter(loc, sum);
      moveTo(owner);
      sum.value =
          IdentityOp::create(builder, loc, sum.value.getType(), sum.value);
    }
    sums[number] = sum.value;
  }
  return sums;
}

/// Takes each chunk around the places of a ring, from the one after its own to
/// its own, and adds at each. `placeOf` gives the place of a chunk, `at` the
/// term of a place. Step by step, so that all links are busy at the same time.
void TowerSums::addAround(Location loc, unsigned size,
                          MutableArrayRef<Term> sums,
                          function_ref<unsigned(size_t)> placeOf,
                          function_ref<Term(size_t, unsigned)> at) {
  Arithmetic a{builder, loc};
  for (unsigned step = 0; step < size; ++step)
    for (auto [chunk, sum] : llvm::enumerate(sums)) {
      Term next = at(chunk, (placeOf(chunk) + 1 + step) % size);
      if (!next.value)
        continue; // of an empty chunk
      if (step == 0) {
        sum = next;
        continue;
      }
      sum = enter(loc, sum);
      moveTo(next.device);
      sum = {a.add(sum.value, next.value), next.device};
    }
}

/// The sum of each chunk, on the device of its number; null for a chunk without
/// terms. `chunks` are the terms of each: one per device, or else, as in
/// canonical order, any number.
TowerSums::Values TowerSums::scatter(Location loc,
                                     ArrayRef<SmallVector<Term>> chunks,
                                     bool isTwoLevel) {
  unsigned count = static_cast<unsigned>(layout.devices.size());
  bool isEven = llvm::all_of(chunks, [&](const SmallVector<Term> &terms) {
    return terms.empty() || terms.size() == count;
  });
  if (layout.canonical || !isEven)
    return scatterDirectly(loc, chunks, isTwoLevel);
  unsigned size = isTwoLevel ? layout.devicesPerTask() : count;
  unsigned tasks = count / size;
  auto termOf = [&](size_t chunk, unsigned device) {
    return chunks[chunk].empty() ? Term{} : chunks[chunk][device];
  };
  SmallVector<SmallVector<Term>> inTasks; // [task][chunk]
  for (unsigned task = 0; task < tasks; ++task) {
    inTasks.emplace_back(count);
    addAround(
        loc, size, inTasks.back(), [&](size_t chunk) { return chunk % size; },
        [&](size_t chunk, unsigned place) {
          return termOf(chunk, task * size + place);
        });
  }
  SmallVector<Term> sums = inTasks.front();
  if (tasks > 1)
    addAround(
        loc, tasks, sums, [&](size_t chunk) { return chunk / size; },
        [&](size_t chunk, unsigned task) { return inTasks[task][chunk]; });
  return llvm::map_to_vector(sums, [](Term term) { return term.value; });
}

//===-- All-gather --------------------------------------------------------===//

/// Copies each chunk around the places of a ring, beginning with its own.
/// `deviceOf` gives the device of a place.
void TowerSums::copyAround(Location loc, unsigned size,
                           MutableArrayRef<Values> copies,
                           function_ref<unsigned(size_t)> placeOf,
                           function_ref<unsigned(size_t, unsigned)> deviceOf) {
  for (unsigned step = 1; step < size; ++step)
    for (auto [chunk, onDevices] : llvm::enumerate(copies)) {
      unsigned place = (placeOf(chunk) + step) % size;
      Value value = onDevices[deviceOf(chunk, (place + size - 1) % size)];
      if (!value)
        continue;
      unsigned device = deviceOf(chunk, place);
      moveTo(device);
      onDevices[device] =
          IdentityOp::create(builder, loc, value.getType(), value);
    }
}

/// Every chunk on every device, `[chunk][device]`. `own` are the chunks, each
/// on the device of its number, or null.
SmallVector<TowerSums::Values>
TowerSums::gather(Location loc, ArrayRef<Value> own, bool isTwoLevel) {
  unsigned count = static_cast<unsigned>(layout.devices.size());
  SmallVector<Values> copies(count, Values(count));
  for (auto [chunk, value] : llvm::enumerate(own))
    if (value)
      copies[chunk][chunk] =
          enter(loc, {value, static_cast<unsigned>(chunk)}).value;
  unsigned size = isTwoLevel ? layout.devicesPerTask() : count;
  if (unsigned tasks = count / size; tasks > 1)
    copyAround(
        loc, tasks, copies, [&](size_t chunk) { return chunk / size; },
        [&](size_t chunk, unsigned task) {
          return task * size + static_cast<unsigned>(chunk % size);
        });
  for (unsigned first = 0; first < count; first += size)
    copyAround(
        loc, size, copies, [&](size_t chunk) { return chunk % size; },
        [&](size_t, unsigned place) { return first + place; });
  return copies;
}

//===-- All-reduce --------------------------------------------------------===//

/// Reduce-scatter, then all-gather: over each link go 2(n-1)/n of the bytes.
TowerSums::Values TowerSums::ring(Location loc, ArrayRef<Term> terms,
                                  bool isMean, bool isTwoLevel) {
  Values sums = scatter(
      loc,
      cut(loc, terms,
          chunkSizes(tensorType(terms.front().value), layout.devices.size())),
      isTwoLevel);
  if (isMean)
    for (auto [device, sum] : llvm::enumerate(sums)) {
      moveTo(static_cast<unsigned>(device));
      sum = scale(loc, sum);
    }
  SmallVector<Values> gathered = gather(loc, sums, isTwoLevel);
  Values whole;
  for (unsigned device = 0; device < layout.devices.size(); ++device) {
    moveTo(device);
    whole.push_back(
        join(loc, llvm::map_to_vector(gathered, [&](const Values &copies) {
               return copies[device];
             })));
  }
  return whole;
}

} // namespace graphc
