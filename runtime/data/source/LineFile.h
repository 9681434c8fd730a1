// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of a text file, found by their numbers.
#ifndef GRAPHC_RUNTIME_DATA_SOURCE_LINEFILE_H
#define GRAPHC_RUNTIME_DATA_SOURCE_LINEFILE_H

#include "runtime/base/Status.h"
#include "runtime/data/File.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// A file that stays on disk, but for 8 bytes per line. Thread-safety: const
/// calls may run at the same time.
class LineFile {
public:
  /// Finds the lines; those of blanks alone are passed over where `skipsBlank`.
  /// A byte order mark is no part of the first.
  static StatusOr<LineFile> open(const std::string &path, bool skipsBlank);

  const std::string &path() const { return name; }
  int64_t lines() const { return static_cast<int64_t>(starts.size()); }

  /// A line without its end, in `buffer`. INVALID_ARGUMENT: longer than 16 MiB.
  StatusOr<std::string_view> read(int64_t number,
                                  std::vector<std::byte> &buffer) const;

  /// The number of a line as editors count: reads the file up to there.
  size_t lineOf(int64_t number) const;

  /// "x.csv:17".
  std::string placeOf(int64_t number) const {
    return name + ":" + std::to_string(lineOf(number));
  }

private:
  LineFile(std::string path, InputFile file)
      : name(std::move(path)), file(std::move(file)) {}

  std::string name;
  InputFile file;
  std::vector<uint64_t> starts;
};

} // namespace graphc::runtime

#endif
