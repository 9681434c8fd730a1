// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which AllReduces of a graph a library can do, and where programs need the
// results.
#ifndef GRAPHC_RUNTIME_GPU_COLLECTIVEPLAN_H
#define GRAPHC_RUNTIME_GPU_COLLECTIVEPLAN_H

#include "runtime/gpu/GpuModel.h"

namespace graphc::runtime {

/// What a program has to do with a sum: from its AllReduce on the library may
/// use source and target, from instruction `use` on the program again.
struct GpuTerm {
  uint32_t program = 0;
  uint32_t reduce = 0, use = 0; ///< instructions
};
using GpuTerms = std::vector<GpuTerm>; ///< of one sum, by program

/// The sums that programs on `gpus` take part in, by number of the AllReduce.
/// Sums among other tasks' programs are not our business.
std::map<uint32_t, GpuTerms> collectivesOf(const format::Graph &graph,
                                           const GpuModel &gpus);

/// Why a library cannot do all of them: success if it can.
Status checkLibrary(const format::Graph &graph,
                    const std::map<uint32_t, GpuTerms> &sums,
                    const GpuModel &gpus);

/// How the sums of a model are made, as people want to know it: "all-reduce:
/// NCCL 2.28.9, 4 GPUs", or why it is as compiled. Nothing for a model without
/// an AllReduce on `gpus`.
std::vector<std::string> describeCollectives(const Model &model,
                                             const GpuModel &gpus);

/// That, behind what each device of the plan is; nothing where the CPU does it
/// all, which is where `gpus` is null.
std::vector<std::string> describeGpus(const Model &model, const GpuModel *gpus);

} // namespace graphc::runtime

#endif
