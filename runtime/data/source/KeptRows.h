// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Examples that are kept in memory, since they are few.
#ifndef GRAPHC_RUNTIME_DATA_SOURCE_KEPTROWS_H
#define GRAPHC_RUNTIME_DATA_SOURCE_KEPTROWS_H

#include "runtime/data/ExampleRows.h"

namespace graphc::runtime {

/// The bytes that all fields of a dataset take, up to which they are kept.
inline constexpr int64_t kKeptBytes = int64_t{64} << 20;

/// The same rows, read once where they are small, else where they lie. So the
/// errors of small files show when they are opened.
StatusOr<std::unique_ptr<ExampleRows>>
keepSmall(const DatasetSpec &spec, std::unique_ptr<ExampleRows> rows);

} // namespace graphc::runtime

#endif
