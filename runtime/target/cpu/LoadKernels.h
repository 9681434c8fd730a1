// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes the machine code that fits this CPU out of a model.
#ifndef GRAPHC_RUNTIME_TARGET_CPU_LOADKERNELS_H
#define GRAPHC_RUNTIME_TARGET_CPU_LOADKERNELS_H

#include "runtime/format/Model.h"
#include "runtime/target/cpu/CpuLevel.h"
#include "runtime/target/cpu/KernelImage.h"

namespace graphc::runtime {

/// Maps the model's image of the highest level up to `level`;
/// FAILED_PRECONDITION that names both sides when the model has none.
StatusOr<KernelImage> loadKernels(const Model &model, CpuLevel level);

/// The lowest level that the model has an image for; nothing: it has none.
std::optional<CpuLevel> lowestLevel(const Model &model);

} // namespace graphc::runtime

#endif
