// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file that exists in memory only, for readers that take a path.
#ifndef GRAPHC_TEST_FUZZ_MEMORYFILE_H
#define GRAPHC_TEST_FUZZ_MEMORYFILE_H

#include <cstddef>
#include <span>
#include <string>

namespace graphc::test {

/// Is gone with the object.
class MemoryFile {
public:
  explicit MemoryFile(std::span<const std::byte> bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  std::string path() const;

private:
  int descriptor;
};

} // namespace graphc::test

#endif
