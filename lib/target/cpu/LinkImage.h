// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an object file to bytes that run where they are put.
#ifndef GRAPHC_LIB_TARGET_CPU_LINKIMAGE_H
#define GRAPHC_LIB_TARGET_CPU_LINKIMAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace graphc {

/// Position-independent code and constants without relocations.
struct LinkedImage {
  std::vector<char> code;        ///< to be mapped read + execute, page-aligned
  std::vector<uint64_t> entries; ///< offset in `code` of symbol i
};

/// Links objects and lays their segments out as they would lie in memory.
/// Fails with the symbol's name if they call anything that none of them
/// defines, and if it needs writable data or relocations. Thread-safe; calls
/// run one after the other. lld resets the llvm::cl options of the process, so
/// a tool copies their values before.
llvm::Expected<LinkedImage>
linkImage(llvm::ArrayRef<llvm::ArrayRef<char>> objects,
          llvm::ArrayRef<std::string> symbols);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_LINKIMAGE_H
