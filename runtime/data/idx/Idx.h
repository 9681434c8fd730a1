// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IDX, the format of the MNIST files: big-endian arrays of any rank, plain or
// compressed by gzip.
#ifndef GRAPHC_RUNTIME_DATA_IDX_IDX_H
#define GRAPHC_RUNTIME_DATA_IDX_IDX_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace graphc::runtime {

/// The array in the bytes of an IDX file, with elements in the machine's byte
/// order. Types are uint8, int32, float32 and float64. `place` names the file
/// in errors: INVALID_ARGUMENT where it is not IDX, DATA_LOSS where bytes are
/// missing or too many. The bytes are not trusted.
StatusOr<HostTensor> parseIdx(std::span<const std::byte> bytes,
                              std::string_view place);

/// The type of the array of a plain IDX file of `size` bytes, and the offset of
/// its first element, from its first bytes.
StatusOr<std::pair<TensorType, uint64_t>>
readIdxLayout(std::span<const std::byte> head, uint64_t size,
              std::string_view place);

/// The same from a file.
StatusOr<HostTensor> loadIdx(const std::string &path);

} // namespace graphc::runtime

#endif
