// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the elements of string tensors, which are laid out as in model.fbs:
// count, count + 1 offsets, bytes.
#ifndef GRAPHC_RUNTIME_STATE_STRINGTENSOR_H
#define GRAPHC_RUNTIME_STATE_STRINGTENSOR_H

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// The elements, which point into `bytes`; none when the layout is broken.
std::vector<std::string_view> stringElements(std::span<const std::byte> bytes);

} // namespace graphc::runtime

#endif
