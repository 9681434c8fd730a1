// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of types and values that come from files.
#ifndef GRAPHC_RUNTIME_DATA_TYPECHECK_H
#define GRAPHC_RUNTIME_DATA_TYPECHECK_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"

#include <optional>
#include <span>
#include <string_view>

namespace graphc::runtime {

/// Returns type.numBytes(), or nothing where a dimension is negative or the
/// size does not fit an int64. Dimensions of 0 do not hide a product that
/// overflows, so numBytes() is safe wherever this succeeds.
std::optional<int64_t> checkedNumBytes(const TensorType &type);

/// DATA_LOSS when a bool tensor holds a byte other than 0 and 1, which kernels
/// rely on.
Status checkBools(const HostTensor &tensor, std::string_view place);

/// "'place' should hold 120 bytes of float32[5,6], but holds 7", DATA_LOSS,
/// when the numbers differ.
Status checkByteCount(const TensorType &type, uint64_t expected, uint64_t got,
                      std::string_view place);

} // namespace graphc::runtime

#endif
