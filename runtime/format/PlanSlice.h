// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divides a plan into the slices that the tasks of a cluster get.
#ifndef GRAPHC_RUNTIME_FORMAT_PLANSLICE_H
#define GRAPHC_RUNTIME_FORMAT_PLANSLICE_H

#include "runtime/format/Model.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// The digest of a plan as people and messages give it: 32 hex digits. Of a
/// slice, and of a plan variant: the whole file's.
std::string planDigest(const Model &model);

/// "/job:ps/task:0" of a device's full name; empty where it names no task.
std::string taskOfDevice(std::string_view device);

/// The tasks that programs or variables of a plan are on, by name; an empty
/// program counts for nothing, so in a slice its own task and those of
/// variables are left.
std::vector<std::string> tasksOf(const Model &model);

/// The model.bin that task `task` gets: numbers of graphs, programs, edges,
/// kernels and variables stay; programs of other tasks have no slots and
/// instructions, constants that only they use, the source, the report and the
/// names of transfers among them are left out. Images of kernels stay whole,
/// since kernels may share code. It names the whole plan's digest and the task
/// (Model.part_of, part_task). Deterministic. NOT_FOUND where the plan has
/// nothing on the task, INVALID_ARGUMENT where it is a slice itself,
/// FAILED_PRECONDITION where it has plan variants (takePlanVariant()).
StatusOr<std::vector<std::byte>> makeSlice(const Model &model,
                                           std::string_view task);

} // namespace graphc::runtime

#endif
