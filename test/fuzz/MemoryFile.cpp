// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/MemoryFile.h"

#include "test/fuzz/Input.h"

#include <sys/mman.h>
#include <unistd.h>

namespace graphc::test {

MemoryFile::MemoryFile(std::span<const std::byte> bytes)
    : descriptor(memfd_create("fuzz", MFD_CLOEXEC)) {
  require(descriptor >= 0, "there is memory for a file");
  while (!bytes.empty()) {
    ssize_t written = write(descriptor, bytes.data(), bytes.size());
    require(written > 0, "there is memory for a file");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

MemoryFile::~MemoryFile() { close(descriptor); }

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

} // namespace graphc::test
