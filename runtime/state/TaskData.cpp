// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/state/TaskData.h"

#include "runtime/format/InstructionUses.h"
#include "runtime/format/Quote.h"

#include <algorithm>
#include <cstdio>
#include <xxhash.h>

namespace graphc::runtime {

namespace {
std::string digestOf(std::string text, uint64_t seed) {
  if (text.empty())
    return text;
  text += std::to_string(seed);
  char digits[17];
  std::snprintf(
      digits, sizeof digits, "%016llx",
      static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return digits;
}
} // namespace

std::vector<BatchUse> batchUses(const format::Graph &graph,
                                const std::vector<uint32_t> &programs) {
  std::vector<BatchUse> uses;
  for (uint32_t program : programs)
    for (const format::Instruction *instruction :
         *graph.programs()->Get(program)->instructions()) {
      const format::HostCall *call = nextBatchOf(*instruction);
      if (!call)
        continue;
      auto same = std::ranges::find_if(uses, [&](const BatchUse &use) {
        return use.dataset == call->index() && use.shard == call->shard();
      });
      if (same == uses.end())
        uses.push_back({call->index(), call->shard(), call->shards(), 1});
      else
        ++same->perStep;
    }
  return uses;
}

Status TaskData::bind(const std::string &dataset, const std::string &files,
                      uint64_t newSeed, uint64_t skip, bool rewinds) {
  bounds.resize(model.index().datasets()->size());
  if (rewinds && bindings && newSeed == seed)
    if (std::optional<uint32_t> found = findBound(dataset, files)) {
      GRAPHC_TRY(bindings->rewind(*found, skip));
      bounds[*found]->taken.assign(shardsOf(*found), skip);
      return Status::ok();
    }
  std::unique_ptr<DatasetBindings> fresh;
  DatasetBindings *target = bindings.get();
  if (!bindings || newSeed != seed) {
    fresh = std::make_unique<DatasetBindings>(model, newSeed, readerThreads);
    target = fresh.get();
    for (uint32_t i = 0; i < bounds.size(); ++i) {
      std::string name = model.index().datasets()->Get(i)->name()->str();
      if (bounds[i] && name != dataset)
        GRAPHC_TRY(target->bind(name, bounds[i]->files));
    }
  }
  GRAPHC_TRY(target->bind(dataset, files, skip));
  for (uint32_t i = 0; i < bounds.size(); ++i) {
    bool isNamed = viewOf(model.index().datasets()->Get(i)->name()) == dataset;
    if (isNamed)
      bounds[i] = Bound{files, std::vector<uint64_t>(shardsOf(i), skip)};
    else if (fresh && bounds[i])
      bounds[i]->taken.clear();
  }
  if (fresh)
    bindings = std::move(fresh);
  seed = newSeed;
  return Status::ok();
}

std::optional<uint32_t> TaskData::findBound(std::string_view dataset,
                                            std::string_view files) const {
  for (uint32_t i = 0; i < bounds.size(); ++i)
    if (bounds[i] && bounds[i]->files == files &&
        viewOf(model.index().datasets()->Get(i)->name()) == dataset)
      return i;
  return std::nullopt;
}

/// The parts that batches of a dataset are read in.
uint32_t TaskData::shardsOf(uint32_t dataset) const {
  uint32_t shards = 1;
  for (const format::Graph *graph : *model.index().graphs())
    for (const format::Program *program : *graph->programs())
      for (const format::Instruction *instruction : *program->instructions())
        if (const format::HostCall *call = nextBatchOf(*instruction);
            call && call->index() == dataset)
          shards = std::max(shards, call->shards());
  return shards;
}

const DataSource *TaskData::source(uint32_t dataset) const {
  return bindings ? bindings->source(dataset) : nullptr;
}

Status TaskData::checkBound(const std::vector<BatchUse> &uses,
                            std::string_view graph) const {
  for (const BatchUse &use : uses) {
    if (source(use.dataset))
      continue;
    std::string name =
        model.index().datasets()->Get(use.dataset)->name()->str();
    return failedPrecondition("dataset " + quote(name) + " of graph " +
                              quote(graph) +
                              " has no data here; name its files (--data " +
                              name + "=FILE[,FILE...])");
  }
  return Status::ok();
}

int64_t TaskData::stepsAvailable(const std::vector<BatchUse> &uses) const {
  int64_t least = -1;
  for (const BatchUse &use : uses) {
    const format::Dataset &dataset =
        *model.index().datasets()->Get(use.dataset);
    const DataSource *data = source(use.dataset);
    if (dataset.repeat() == 0 || !data)
      continue;
    const std::vector<uint64_t> &taken = bounds[use.dataset]->taken;
    // An undivided reader of a divided dataset takes the batches of part 0.
    uint64_t most = use.shard < taken.size() ? taken[use.shard] : 0;
    int64_t total = data->batchesPerEpoch() * dataset.repeat();
    int64_t left = std::max<int64_t>(0, total - static_cast<int64_t>(most));
    left /= use.perStep;
    least = least < 0 ? left : std::min(least, left);
  }
  return least;
}

/// Empty: nothing is bound to it.
std::string TaskData::describe(uint32_t dataset) const {
  const DataSource *data = source(dataset);
  if (!data)
    return {};
  return std::to_string(dataset) + "=" + std::to_string(data->examples()) +
         ":" + std::to_string(data->batchesPerEpoch()) + ";";
}

std::string TaskData::digest() const {
  std::string text;
  for (uint32_t i = 0; i < bounds.size(); ++i)
    text += describe(i);
  return digestOf(text, seed);
}

std::string TaskData::digest(uint32_t dataset) const {
  return digestOf(describe(dataset), seed);
}

Status TaskData::nextBatch(const BatchCall &call,
                           std::span<std::byte *const> fields) {
  if (!source(call.dataset))
    return failedPrecondition("a dataset of the graph has no data here");
  GRAPHC_TRY(bindings->nextBatch(call, fields));
  std::vector<uint64_t> &taken = bounds[call.dataset]->taken;
  if (taken.size() < std::max(call.shards, call.shard + 1))
    taken.resize(std::max(call.shards, call.shard + 1));
  ++taken[call.shard];
  return Status::ok();
}

Status TaskData::beginStep(const format::Graph &graph) {
  if (!bindings)
    return Status::ok();
  // After a step that failed, all parts go on with the same batch.
  for (std::optional<Bound> &bound : bounds)
    if (bound && bound->taken.size() > 1)
      std::ranges::fill(bound->taken, std::ranges::max(bound->taken));
  return bindings->beginStep(graph);
}

} // namespace graphc::runtime
