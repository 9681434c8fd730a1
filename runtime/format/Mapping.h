// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Read-only bytes of a file or of a copy, at a page-aligned address.
#ifndef GRAPHC_RUNTIME_FORMAT_MAPPING_H
#define GRAPHC_RUNTIME_FORMAT_MAPPING_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <span>

namespace graphc::runtime {

/// Owns one range of mapped memory.
/// Thread-safety: the bytes may be read by any number of threads.
class Mapping {
public:
  /// Maps the regular file `path`. Fails when it cannot be opened or changes
  /// its size meanwhile. A file must be replaced by renaming a new one over it,
  /// as all our tools do: one that is cut short in place later makes a reader
  /// fault.
  static StatusOr<Mapping> ofFile(const std::string &path);

  /// Maps a copy of `bytes`.
  static StatusOr<Mapping> ofBytes(std::span<const std::byte> bytes);

  Mapping(Mapping &&other) noexcept;
  Mapping &operator=(Mapping &&other) noexcept;
  ~Mapping();

  std::span<const std::byte> bytes() const { return range; }

private:
  explicit Mapping(std::span<const std::byte> range) : range(range) {}
  std::span<const std::byte> range;
};

} // namespace graphc::runtime

#endif
