// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable of the host's CPU in a model.
#ifndef GRAPHC_RUNTIME_TARGET_CPU_FORMAT_CPUEXECUTABLE_H
#define GRAPHC_RUNTIME_TARGET_CPU_FORMAT_CPUEXECUTABLE_H

#include "runtime/format/ExecutableFormat.h"
#include "runtime/format/Model.h"
#include "runtime/target/cpu/format/CpuExecutable_generated.h"

namespace graphc::runtime {

/// Executable.target, and the type of devices that execute it.
inline constexpr std::string_view kCpuTarget = "cpu";
inline constexpr std::string_view kCpuDeviceType = "CPU";

/// Image.entries of a kernel without code in the image.
inline constexpr uint64_t kNoEntry = UINT64_MAX;

const ExecutableFormat &cpuFormat();

/// Null: the model has no kernels. Valid as long as the model.
const format::CpuExecutable *cpuExecutable(const Model &model);

} // namespace graphc::runtime

#endif
