// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine code of a model, made executable.
#ifndef GRAPHC_RUNTIME_TARGET_CPU_KERNELIMAGE_H
#define GRAPHC_RUNTIME_TARGET_CPU_KERNELIMAGE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace graphc::runtime {

/// Signature of every kernel; its semantics: model.fbs, table Kernel.
using KernelFunction = void (*)(void *const *buffers, void *scratch,
                                int64_t begin, int64_t end);

/// Calls a kernel. UBSan's check of function types reads what stands before the
/// code, and before the first kernel of an image stands nothing.
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
inline void callKernel(KernelFunction function, void *const *buffers,
                       void *scratch, int64_t begin, int64_t end) {
  function(buffers, scratch, begin, end);
}

/// Machine code mapped read and execute, never writable and executable at once.
/// Thread-safety: const after map().
class KernelImage {
public:
  KernelImage() = default;
  KernelImage(KernelImage &&other) noexcept { swap(other); }
  KernelImage &operator=(KernelImage &&other) noexcept {
    swap(other);
    return *this;
  }
  ~KernelImage();

  /// Copies `code` to memory of its own and makes that executable. Kernel i
  /// starts at `entries[i]`, which must be inside the code, or kNoEntry where
  /// there is none; its function is null then.
  static StatusOr<KernelImage> map(std::span<const std::byte> code,
                                   std::span<const uint64_t> entries);

  size_t size() const { return functions.size(); }
  KernelFunction function(size_t kernel) const { return functions[kernel]; }

private:
  void swap(KernelImage &other) noexcept;

  void *mapped = nullptr;
  size_t mappedBytes = 0;
  std::vector<KernelFunction> functions;
};

} // namespace graphc::runtime

#endif
