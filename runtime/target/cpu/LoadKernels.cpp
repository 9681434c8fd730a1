// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/LoadKernels.h"

#include "runtime/base/Suggest.h"
#include "runtime/format/Quote.h"
#include "runtime/target/cpu/format/CpuExecutable.h"

namespace graphc::runtime {

namespace {

std::vector<const format::Image *> imagesOf(const Model &model) {
  const format::CpuExecutable *code = cpuExecutable(model);
  if (!code)
    return {};
  return {code->images()->begin(), code->images()->end()};
}

} // namespace

StatusOr<KernelImage> loadKernels(const Model &model, CpuLevel level) {
  const format::Image *best = nullptr;
  std::optional<CpuLevel> bestLevel;
  std::vector<std::string> available;
  for (const format::Image *image : imagesOf(model)) {
    available.push_back(image->isa()->str());
    std::optional<CpuLevel> its = parseCpuLevel(image->isa()->string_view());
    if (!its || *its > level || (bestLevel && *its <= *bestLevel))
      continue;
    best = image;
    bestLevel = its;
  }
  if (model.index().kernels()->size() == 0)
    return KernelImage();
  if (!best)
    return failedPrecondition(
        "'" + model.name() + "' has no kernels for " + cpuLevelName(level) +
        "; it has " +
        (available.empty() ? "none at all" : quotedList(available)) +
        "; recompile the model for this CPU");
  return KernelImage::map(
      std::as_bytes(std::span(best->code()->data(), best->code()->size())),
      {best->entries()->data(), best->entries()->size()});
}

std::optional<CpuLevel> lowestLevel(const Model &model) {
  std::optional<CpuLevel> lowest;
  for (const format::Image *image : imagesOf(model)) {
    std::optional<CpuLevel> level = parseCpuLevel(viewOf(image->isa()));
    if (level && (!lowest || *level < *lowest))
      lowest = level;
  }
  return lowest;
}

} // namespace graphc::runtime
