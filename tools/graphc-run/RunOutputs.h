// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that a run leaves.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_RUNOUTPUTS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_RUNOUTPUTS_H

#include "runtime/data/HostTensor.h"
#include "tools/graphc-run/RunOptions.h"

#include <nlohmann/json.hpp>

namespace graphc::run {

/// Makes the folder of --out and checks that all results can be written, so
/// that a long run does not end in a failure.
runtime::Status prepareOutputs(const RunOptions &options);

/// Writes each value to `folder` as NAME.npy, strings as NAME.txt with one line
/// each. A '/' in a name becomes '_'.
runtime::Status writeResults(const std::string &folder,
                             const std::vector<runtime::NamedTensor> &values);

/// Writes the file of --json.
runtime::Status writeJson(const std::string &path,
                          const nlohmann::ordered_json &json);

} // namespace graphc::run

#endif
