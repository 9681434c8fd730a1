// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/source/LineFile.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

constexpr uint64_t kAtOnce = uint64_t{1} << 20;
constexpr uint64_t kLongest = uint64_t{16} << 20;

bool isBlank(std::byte byte) {
  return byte == std::byte{' '} || byte == std::byte{'\t'} ||
         byte == std::byte{'\r'};
}

} // namespace

StatusOr<LineFile> LineFile::open(const std::string &path, bool skipsBlank) {
  GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  LineFile lines(path, std::move(file));
  uint64_t size = lines.file.size(), start = 0;
  bool hasText = false;
  std::vector<std::byte> bytes;
  for (uint64_t at = 0; at < size; at += bytes.size()) {
    bytes.resize(std::min(kAtOnce, size - at));
    GRAPHC_TRY(lines.file.readAt(at, bytes));
    size_t begin = 0;
    if (at == 0 && bytes.size() >= 3 && bytes[0] == std::byte{0xef} &&
        bytes[1] == std::byte{0xbb} && bytes[2] == std::byte{0xbf})
      start = begin = 3; // the mark that spreadsheets write
    for (size_t i = begin; i < bytes.size(); ++i) {
      if (bytes[i] != std::byte{'\n'}) {
        hasText |= !isBlank(bytes[i]);
        continue;
      }
      if (hasText || !skipsBlank)
        lines.starts.push_back(start);
      start = at + i + 1;
      hasText = false;
    }
  }
  if (start < size && (hasText || !skipsBlank))
    lines.starts.push_back(start);
  return lines;
}

StatusOr<std::string_view>
LineFile::read(int64_t number, std::vector<std::byte> &buffer) const {
  // Blank lines may follow this one before the next start.
  uint64_t begin = starts[static_cast<size_t>(number)];
  uint64_t end = number + 1 < lines() ? starts[static_cast<size_t>(number) + 1]
                                      : file.size();
  uint64_t want = std::min(end - begin, kLongest);
  if (buffer.size() < want)
    GRAPHC_TRY(resizeBytes(buffer, want, name));
  GRAPHC_TRY(file.readAt(begin, std::span(buffer).first(want)));
  std::string_view line(reinterpret_cast<const char *>(buffer.data()), want);
  size_t size = line.find('\n');
  if (size == std::string_view::npos && want < end - begin)
    return invalidArgument(placeOf(number) +
                           ": the line is longer than 16 MiB, which is not "
                           "read; is it a text?");
  line = line.substr(0, size);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

size_t LineFile::lineOf(int64_t number) const {
  uint64_t begin = starts[static_cast<size_t>(number)], line = 1;
  std::vector<std::byte> bytes;
  for (uint64_t at = 0; at < begin; at += bytes.size()) {
    bytes.resize(std::min(kAtOnce, begin - at));
    if (!file.readAt(at, bytes).isOk())
      break;
    line += static_cast<uint64_t>(
        std::count(bytes.begin(), bytes.end(), std::byte{'\n'}));
  }
  return line;
}

} // namespace graphc::runtime
