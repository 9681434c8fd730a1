// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of tensors as the file spells them.
#ifndef GRAPHC_RUNTIME_FORMAT_TENSORTYPES_H
#define GRAPHC_RUNTIME_FORMAT_TENSORTYPES_H

#include "runtime/base/DType.h"
#include "runtime/base/Status.h"
#include "runtime/format/model_generated.h"

namespace graphc::runtime {

/// No tensor, arena or dataset buffer of a file is larger: 1 TiB.
inline constexpr uint64_t kMaxBytes = uint64_t(1) << 40;

/// The same type as a value of the runtime.
/// REQUIRES: `type` is part of a verified model.
TensorType toTensorType(const format::TensorType &type);

/// Bytes of a value of `type`; 0 for String. Fails when the element type is
/// unknown, a dimension is negative, there are more than 32 dimensions, or the
/// product of the non-zero dimensions is above kMaxBytes, so that later
/// products of them in any order cannot overflow.
StatusOr<uint64_t> checkedBytes(const format::TensorType &type);

/// True when the elements of a list lie at multiples of their size.
/// flatbuffers::Verifier checks the alignment of a list's length only.
template <typename T> bool isAligned(const flatbuffers::Vector<T> &list) {
  return list.size() == 0 ||
         reinterpret_cast<uintptr_t>(list.Data()) % sizeof(T) == 0;
}

/// Elements of a value of `type`. REQUIRES: checkedBytes() accepted it.
uint64_t countElements(const format::TensorType &type);

bool sameType(const format::TensorType &a, const format::TensorType &b);

} // namespace graphc::runtime

#endif
