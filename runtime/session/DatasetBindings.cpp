// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/DatasetBindings.h"

#include "runtime/base/Suggest.h"

namespace graphc::runtime {

namespace {
DatasetSpec specOf(const format::Dataset &dataset) {
  DatasetSpec spec;
  spec.name = dataset.name()->str();
  for (const format::DatasetField *field : *dataset.fields())
    spec.fields.push_back({field->name()->str(), toTensorType(*field->type())});
  spec.batch = dataset.batch();
  spec.shuffleBuffer = dataset.shuffle_buffer();
  spec.seed = dataset.seed();
  spec.repeat = dataset.repeat();
  spec.prefetch = dataset.prefetch();
  return spec;
}
} // namespace

DatasetBindings::DatasetBindings(const Model &model, uint64_t seed)
    : model(model), seed(seed), sources(model.index().datasets()->size()) {}

Status DatasetBindings::bind(std::string_view name, std::string_view files) {
  std::vector<std::string> known;
  for (uint32_t i = 0; i < sources.size(); ++i) {
    const format::Dataset &dataset = *model.index().datasets()->Get(i);
    known.push_back(dataset.name()->str());
    if (known.back() != name)
      continue;
    GRAPHC_ASSIGN_OR_RETURN(sources[i],
                            openDataset(specOf(dataset), files, seed));
    return Status::ok();
  }
  return notFound(
      unknownName("'" + model.name() + "'", "dataset", name, known));
}

Status DatasetBindings::nextBatch(uint32_t dataset,
                                  std::span<std::byte *const> fields) {
  return sources[dataset]->next(fields);
}

} // namespace graphc::runtime
