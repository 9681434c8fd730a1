// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/TypeCheck.h"

#include <algorithm>

namespace graphc::runtime {

std::optional<int64_t> checkedNumBytes(const TensorType &type) {
  int64_t bytes = static_cast<int64_t>(dtypeSize(type.dtype));
  for (int64_t dim : type.shape)
    if (dim < 0 ||
        __builtin_mul_overflow(bytes, std::max<int64_t>(dim, 1), &bytes))
      return std::nullopt;
  return static_cast<int64_t>(type.numBytes());
}

Status checkBools(const HostTensor &tensor, std::string_view place) {
  if (tensor.type.dtype != DType::Bool)
    return Status::ok();
  for (size_t i = 0; i < tensor.bytes.size(); ++i)
    if (tensor.bytes[i] > std::byte{1})
      return dataLoss("element " + std::to_string(i) + " of the bools in '" +
                      std::string(place) + "' is the byte " +
                      std::to_string(std::to_integer<int>(tensor.bytes[i])) +
                      "; only 0 and 1 are bools");
  return Status::ok();
}

Status checkByteCount(const TensorType &type, uint64_t expected, uint64_t got,
                      std::string_view place) {
  if (expected == got)
    return Status::ok();
  return dataLoss("'" + std::string(place) + "' should hold " +
                  std::to_string(expected) + " bytes of " + type.toString() +
                  ", but holds " + std::to_string(got) +
                  (got < expected ? "; it was cut: copy or make it again"
                                  : "; bytes follow its end"));
}

} // namespace graphc::runtime
