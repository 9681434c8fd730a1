// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's files: one array (.npy) and named arrays in a zip archive (.npz).
//
// Element types are bool, uint8, int32, int64, float32 and float64, little
// endian. Fortran order is converted. The bytes of a file are not trusted:
// every length is checked before it is used.
#ifndef GRAPHC_RUNTIME_DATA_NPY_H
#define GRAPHC_RUNTIME_DATA_NPY_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// The array in the bytes of a .npy file of version 1, 2 or 3. `place` names
/// the file in errors: INVALID_ARGUMENT where it is no array that we can hold,
/// DATA_LOSS where bytes are missing or too many.
StatusOr<HostTensor> parseNpy(std::span<const std::byte> bytes,
                              std::string_view place);

/// An array that its elements are not read of yet.
struct NpyLayout {
  TensorType type;
  uint64_t offset; ///< of the first element
  bool isFortran;  ///< the first dimension is the fastest
};

/// The header in the first bytes of a .npy file of `size` bytes, which may end
/// within its elements; errors as of parseNpy().
StatusOr<NpyLayout> readNpyLayout(std::span<const std::byte> head,
                                  uint64_t size, std::string_view place);

/// The same from a file.
StatusOr<HostTensor> loadNpy(const std::string &path);

/// An error for types that no .npy file holds; `ending` is that of the file.
Status checkNpyType(DType dtype, std::string_view ending);

/// The bytes before the elements of a .npy file of version 1.
/// REQUIRES: checkNpyType() is ok.
std::string npyHeader(const TensorType &type);

/// Replaces `path` by a .npy file, whole or not at all.
Status saveNpy(const std::string &path, const HostTensor &tensor);

/// The arrays in the bytes of a .npz file, stored or deflated, in the order of
/// the archive; names are without ".npy".
StatusOr<std::vector<NamedTensor>> parseNpz(std::span<const std::byte> bytes,
                                            std::string_view place);

/// The one array of that name, without reading the others; NOT_FOUND lists the
/// names that there are.
StatusOr<HostTensor> parseNpzArray(std::span<const std::byte> bytes,
                                   std::string_view name,
                                   std::string_view place);

/// The arrays of a .npz file.
StatusOr<std::vector<NamedTensor>> loadNpz(const std::string &path);

/// Replaces `path` by a .npz file, whole or not at all. Deterministic: the same
/// tensors give the same bytes. Each array and the file stay below 4 GiB.
Status saveNpz(const std::string &path, std::span<const NamedTensor> tensors,
               bool compress = false);

} // namespace graphc::runtime

#endif
