// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Validators of the values of flags. Each check gives a message without the
// flag's name, which CLI11 puts before it.
#ifndef GRAPHC_TOOLS_GRAPHC_FLAGCHECKS_H
#define GRAPHC_TOOLS_GRAPHC_FLAGCHECKS_H

#include "graphc/Options.h"
#include "runtime/base/Status.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace graphc {

CLI::Validator phaseCheck();
/// A level of CPU, "v4" or "x86-64-v4", of which it makes the latter.
CLI::Validator cpuLevelCheck();

/// An NVIDIA architecture that kernels can be compiled for, or none.
CLI::Validator gpuArchCheck();

/// An item of --devices. Also writes its name in one form, as the model records
/// the flags.
CLI::Validator deviceItemCheck();

/// One device, full or partial, or "mirrored".
CLI::Validator variableDeviceCheck();

/// "NAME=VALUE"
CLI::Validator defineCheck();

/// "NAME=SIZE,SIZE..."
CLI::Validator bindCheck();

/// A whole number from 1 to `max`.
CLI::Validator countCheck(int64_t max);

/// A whole number from `min` to `max`.
CLI::Validator numberCheck(int64_t min, int64_t max);

/// "all", or a number of workers.
std::optional<SyncCount> parseSync(llvm::StringRef text);
CLI::Validator syncCheck();

/// "4", or "2..8".
runtime::StatusOr<WorkerRange> parseWorkerRange(llvm::StringRef text);
CLI::Validator workerRangeCheck();

/// A rule for devices.
CLI::Validator ruleCheck();

/// One of these words.
CLI::Validator wordCheck(std::vector<std::string> words);

} // namespace graphc

#endif
