// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file that appears as a whole, or not at all.
#ifndef GRAPHC_RUNTIME_DATA_TEMPORARYFILE_H
#define GRAPHC_RUNTIME_DATA_TEMPORARYFILE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace graphc::runtime {

/// A file under a temporary name, removed unless it was renamed.
/// Thread-safety: writeAt() may be called by several threads at once.
class TemporaryFile {
public:
  explicit TemporaryFile(std::string target) : target(std::move(target)) {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  /// Before all else.
  Status create();
  /// After what was written so.
  Status write(std::span<const std::byte> bytes);
  Status writeAt(uint64_t offset, std::span<const std::byte> bytes);
  /// Syncs it, and gives it the name of the target, which it replaces.
  Status moveToTarget();

private:
  std::string target;
  std::string name;
  int descriptor = -1;
};

/// Writes all bytes to a file; `path` is for errors.
Status writeAll(int descriptor, const std::string &path,
                std::span<const std::byte> bytes);

} // namespace graphc::runtime

#endif
