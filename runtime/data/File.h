// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and replacing files, with errors that name file, cause and fix.
#ifndef GRAPHC_RUNTIME_DATA_FILE_H
#define GRAPHC_RUNTIME_DATA_FILE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// An ordinary file opened for reading. Thread-safety: const calls may run at
/// the same time.
class InputFile {
public:
  /// NOT_FOUND, PERMISSION_DENIED, or INVALID_ARGUMENT for a directory or a
  /// device.
  static StatusOr<InputFile> open(const std::string &path);

  InputFile(InputFile &&other) noexcept;
  InputFile &operator=(InputFile &&other) noexcept;
  ~InputFile();

  /// In bytes, when it was opened.
  uint64_t size() const { return fileSize; }

  /// Reads exactly buffer.size() bytes from `offset` on; DATA_LOSS when the
  /// file ends before.
  Status readAt(uint64_t offset, std::span<std::byte> buffer) const;

private:
  InputFile(std::string path, int descriptor, uint64_t fileSize);

  std::string path;
  int descriptor;
  uint64_t fileSize;
};

/// All bytes of a file.
StatusOr<std::vector<std::byte>> readFileBytes(const std::string &path);

/// Makes `path` a file that holds the parts one after the other: writes them
/// beside it under a temporary name, syncs, renames, and syncs the directory.
/// A crash leaves the old file or the new one, never a mixture. Of a symbolic
/// link the file behind it is replaced; a device or a pipe is written to.
Status replaceFile(const std::string &path,
                   std::span<const std::span<const std::byte>> parts);

/// Resizes, or gives RESOURCE_EXHAUSTED where memory does not suffice for what
/// `place` holds.
Status resizeBytes(std::vector<std::byte> &bytes, uint64_t size,
                   std::string_view place);

} // namespace graphc::runtime

#endif
