// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that this machine has left.
#ifndef GRAPHC_RUNTIME_BASE_HOST_AVAILABLEMEMORY_H
#define GRAPHC_RUNTIME_BASE_HOST_AVAILABLEMEMORY_H

#include <cstdint>
#include <optional>
#include <string>

namespace graphc::runtime {

/// Bytes that programs may take without making the machine swap, caches of
/// files among them; nothing: not known. Thread-safety: any thread.
std::optional<uint64_t> availableMemory();

/// The same of the text of /proc/meminfo.
std::optional<uint64_t> availableMemory(const std::string &meminfo);

} // namespace graphc::runtime

#endif
