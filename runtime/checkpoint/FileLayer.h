// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls by which a checkpoint is written. A test puts another file system
// in place of the system's, whose power fails at a chosen byte.
#ifndef GRAPHC_RUNTIME_CHECKPOINT_FILELAYER_H
#define GRAPHC_RUNTIME_CHECKPOINT_FILELAYER_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace graphc::runtime {

/// A file that is being written. Closed when destroyed. Thread-safety: one call
/// at a time.
class OutputFile {
public:
  virtual ~OutputFile() = default;
  virtual Status write(std::span<const std::byte> bytes) = 0;
  /// Brings what was written to the disk.
  virtual Status sync() = 0;
};

/// Failures name the path, the system's reason and what to do:
/// PERMISSION_DENIED, RESOURCE_EXHAUSTED for a full disk, NOT_FOUND, UNKNOWN.
/// Thread-safety: calls may run at the same time.
class FileLayer {
public:
  virtual ~FileLayer() = default;
  /// A new file, or one that is empty now.
  virtual StatusOr<std::unique_ptr<OutputFile>>
  create(const std::string &path) = 0;
  /// Success where it exists already; makes what is above it, too.
  virtual Status makeDirectory(const std::string &path) = 0;
  /// A directory takes the place of `to` only where nothing is there.
  virtual Status rename(const std::string &from, const std::string &to) = 0;
  /// With all that is in it; success where nothing is there.
  virtual Status removeTree(const std::string &path) = 0;
  /// Names that were made, changed or removed in it are on disk when this
  /// succeeds.
  virtual Status syncDirectory(const std::string &path) = 0;
};

/// That of the system.
FileLayer &systemFiles();

/// Writes a small file as a whole: under a temporary name, synced, renamed, its
/// directory synced.
Status replaceText(FileLayer &files, const std::string &path,
                   const std::string &text);

} // namespace graphc::runtime

#endif
