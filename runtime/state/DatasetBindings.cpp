// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/state/DatasetBindings.h"

#include "runtime/base/Suggest.h"
#include "runtime/state/BatchRecorder.h"
#include "runtime/state/GraphPorts.h"

namespace graphc::runtime {

namespace {
DatasetSpec specOf(const format::Dataset &dataset, uint64_t skip) {
  DatasetSpec spec;
  spec.name = dataset.name()->str();
  for (const format::DatasetField *field : *dataset.fields())
    spec.fields.push_back({field->name()->str(), toTensorType(*field->type())});
  spec.batch = dataset.batch();
  spec.shuffleBuffer = dataset.shuffle_buffer();
  spec.seed = dataset.seed();
  spec.repeat = dataset.repeat();
  spec.prefetch = dataset.prefetch();
  spec.minAfterDequeue = dataset.min_after_dequeue();
  spec.shufflesFiles = dataset.shuffle_files();
  spec.cycleLength = dataset.cycle_length();
  spec.blockLength = dataset.block_length();
  spec.cacheMib = dataset.cache();
  spec.mask = dataset.mask();
  if (dataset.transforms())
    for (const format::Transform *transform : *dataset.transforms()) {
      std::vector<double> numbers;
      if (transform->numbers())
        numbers.assign(transform->numbers()->begin(),
                       transform->numbers()->end());
      spec.transforms.push_back(
          {transform->name()->str(), transform->field(), std::move(numbers)});
    }
  spec.skip = skip;
  return spec;
}
} // namespace

DatasetBindings::DatasetBindings(const Model &model, uint64_t seed,
                                 int readerThreads)
    : model(model), seed(seed), readerThreads(readerThreads),
      sources(model.index().datasets()->size()), shardedSources(sources.size()),
      isSharded(sources.size()) {
  for (const format::Graph *graph : *model.index().graphs()) {
    std::set<uint32_t> datasets = datasetsOf(*graph);
    used.emplace_back(datasets.begin(), datasets.end());
    for (const format::Program *program : *graph->programs())
      for (const format::Instruction *instruction : *program->instructions())
        if (const auto *call = instruction->action_as_HostCall())
          if (call->shards() > 1)
            isSharded[call->index()] = true;
  }
}

void DatasetBindings::recordBatches(
    uint32_t dataset, const std::shared_ptr<StepTimeline> &timeline) {
  if (sources[dataset])
    sources[dataset]->observe(
        std::make_shared<BatchRecorder>(dataset, timeline));
}

Status DatasetBindings::bind(std::string_view name, std::string_view files,
                             uint64_t skip) {
  std::vector<std::string> known;
  for (uint32_t i = 0; i < sources.size(); ++i) {
    const format::Dataset &dataset = *model.index().datasets()->Get(i);
    known.push_back(dataset.name()->str());
    if (known.back() != name)
      continue;
    DatasetSpec spec = specOf(dataset, skip);
    spec.readerThreads = readerThreads;
    if (!isSharded[i]) {
      GRAPHC_ASSIGN_OR_RETURN(sources[i], openDataset(spec, files, seed));
      return Status::ok();
    }
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ShardedSource> source,
                            ShardedSource::open(spec, files, seed));
    shardedSources[i] = source.get();
    sources[i] = std::move(source);
    return Status::ok();
  }
  return notFound(
      unknownName("'" + model.name() + "'", "dataset", name, known));
}

Status DatasetBindings::nextBatch(const BatchCall &call,
                                  std::span<std::byte *const> fields) {
  if (ShardedSource *sharded = shardedSources[call.dataset])
    return sharded->nextPart({call.shard, call.shards}, fields);
  return sources[call.dataset]->next(fields);
}

Status DatasetBindings::beginStep(const format::Graph &graph) {
  const auto &graphs = *model.index().graphs();
  for (uint32_t i = 0; i < graphs.size(); ++i) {
    if (graphs.Get(i) != &graph)
      continue;
    for (uint32_t dataset : used[i]) {
      if (shardedSources[dataset])
        shardedSources[dataset]->dropRests();
      GRAPHC_TRY(sources[dataset]->ready());
    }
  }
  return Status::ok();
}

} // namespace graphc::runtime
