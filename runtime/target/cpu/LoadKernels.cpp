// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/LoadKernels.h"

#include "runtime/base/Suggest.h"

namespace graphc::runtime {

StatusOr<KernelImage> loadKernels(const Model &model, CpuLevel level) {
  const format::Image *best = nullptr;
  std::optional<CpuLevel> bestLevel;
  std::vector<std::string> available;
  for (const format::Image *image : *model.index().images()) {
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
  return KernelImage::map(model.blob(*best->code()),
                          {best->entries()->data(), best->entries()->size()});
}

} // namespace graphc::runtime
