// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/KernelImage.h"

#include "runtime/target/cpu/format/CpuExecutable.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace graphc::runtime {

KernelImage::~KernelImage() {
  if (mapped)
    munmap(mapped, mappedBytes);
}

void KernelImage::swap(KernelImage &other) noexcept {
  std::swap(mapped, other.mapped);
  std::swap(mappedBytes, other.mappedBytes);
  functions.swap(other.functions);
}

StatusOr<KernelImage> KernelImage::map(std::span<const std::byte> code,
                                       std::span<const uint64_t> entries) {
  KernelImage image;
  if (entries.empty())
    return image;
  for (uint64_t entry : entries)
    if (entry != kNoEntry && entry >= code.size())
      return dataLoss("a kernel starts at byte " + std::to_string(entry) +
                      " of an image of " + std::to_string(code.size()) +
                      " bytes; recompile the model");
  void *mapped = mmap(nullptr, code.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return resourceExhausted("cannot map " + std::to_string(code.size()) +
                             " bytes of kernels: " + std::strerror(errno));
  image.mapped = mapped;
  image.mappedBytes = code.size();
  std::memcpy(mapped, code.data(), code.size());
  if (mprotect(mapped, code.size(), PROT_READ | PROT_EXEC) != 0)
    return permissionDenied(
        std::string("the system refuses executable memory: ") +
        std::strerror(errno) +
        "; allow it for this program (SELinux: execmem), since kernels are "
        "machine code");
  auto *start = static_cast<std::byte *>(mapped);
  for (uint64_t entry : entries)
    image.functions.push_back(
        entry == kNoEntry ? nullptr
                          : reinterpret_cast<KernelFunction>(start + entry));
  return image;
}

} // namespace graphc::runtime
