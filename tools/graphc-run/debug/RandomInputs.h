// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs for a graph that nobody gave any.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_RANDOMINPUTS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_RANDOMINPUTS_H

#include "runtime/data/HostTensor.h"
#include "runtime/format/Model.h"

#include <string>
#include <string_view>

namespace graphc::run {

/// Floats from -1 to 1; whole numbers and bools are 0 or 1, which most graphs
/// can take for a label or a row. The same seed and name give the same numbers
/// on each machine. REQUIRES: the type is not String.
runtime::HostTensor randomTensor(const runtime::TensorType &type, uint64_t seed,
                                 std::string_view name);

/// Writes `rows` random examples to a .npz file that the dataset can be bound
/// to. INVALID_ARGUMENT: its fields are not read as they are from such a file
/// (texts, images to crop), so that --data has to name files.
runtime::Status writeRandomDataset(const format::Dataset &dataset, int64_t rows,
                                   uint64_t seed, const std::string &path);

} // namespace graphc::run

#endif
