// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copying values that are larger than the caches.
#ifndef GRAPHC_RUNTIME_BASE_COPYBYTES_H
#define GRAPHC_RUNTIME_BASE_COPYBYTES_H

#include <cstddef>
#include <span>

namespace graphc::runtime {

/// std::memcpy for values of any size that another core reads next: from 1 MiB
/// on by a string instruction, which leaves the bytes in the caches and is 1.3
/// to 1.6 times as fast; from 32 MiB on past the caches, which does not read the
/// target first and is 1.2 to 1.5 times as fast. Where string instructions are
/// slow, past the caches from 4 MiB on.
/// REQUIRES: `to` has room for `from`, and they do not overlap.
void copyBytes(std::byte *to, std::span<const std::byte> from);

} // namespace graphc::runtime

#endif
