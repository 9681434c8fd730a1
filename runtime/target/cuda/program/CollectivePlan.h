// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the AllReduces of a graph that a library can do, and where programs
// need the results.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_COLLECTIVEPLAN_H
#define GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_COLLECTIVEPLAN_H

#include "runtime/target/Collectives.h"
#include "runtime/target/cuda/program/CudaPlanDevice.h"

namespace graphc::runtime {

/// The sums that programs on `gpus` take part in, by number of the AllReduce.
/// Sums among other tasks' programs are not our business.
std::map<uint32_t, SumTerms> collectivesOf(const format::Graph &graph,
                                           const ModelDevices &gpus);

/// Checks that a library can do all of them; the failure gives the reason.
Status checkLibrary(const format::Graph &graph,
                    const std::map<uint32_t, SumTerms> &sums,
                    const ModelDevices &gpus);

/// Describes how the sums of a model are made: "all-reduce: NCCL 2.28.9, 4
/// GPUs", or why it is as compiled. Nothing for a model without an AllReduce on
/// `gpus`.
std::vector<std::string> describeCollectives(const Model &model,
                                             const ModelDevices &gpus);

} // namespace graphc::runtime

#endif
