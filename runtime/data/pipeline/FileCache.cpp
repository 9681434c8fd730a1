// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file, all numbers with the lowest byte first:
//
//   16 bytes "graphc data 1" and zeros
//   u64      bytes of the description that follows, and its masked CRC32C (u64)
//            the description, a text: see describe(), rows, ends of files
//            the rows, one after the other, fields in their order
//   u32 each the masked CRC32C of each row
#include "runtime/data/pipeline/FileCache.h"

#include "runtime/base/Crc32c.h"
#include "runtime/base/StopSignal.h"
#include "runtime/data/File.h"
#include "runtime/data/TemporaryFile.h"
#include "runtime/data/TensorReader.h"
#include "runtime/data/pipeline/DataIdentity.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace graphc::runtime {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr char kMagic[16] = "graphc data 1";
constexpr size_t kHead = sizeof(kMagic) + 2 * sizeof(uint64_t);
constexpr uint64_t kMostDescription = uint64_t{1} << 30;
/// Bytes of rows that a thread writes at once.
constexpr size_t kBlock = size_t{1} << 20;
constexpr const char *kRows = "rows ", *kEnds = "ends";

std::vector<size_t> bytesOf(const DatasetSpec &spec) {
  std::vector<size_t> bytes;
  for (const DatasetSpec::Field &field : spec.fields)
    bytes.push_back(field.type.numBytes());
  return bytes;
}

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class FileCache final : public ExampleRows {
public:
  /// DATA_LOSS where it is not a whole cache; `identity` gets the lines by
  /// which it was described.
  static StatusOr<std::unique_ptr<FileCache>> open(const std::string &path,
                                                   std::vector<size_t> rowBytes,
                                                   std::string &identity);

  int64_t rows() const override { return count; }
  /// A call of the system, from a disk that gives a byte in each nanosecond.
  int64_t rowNanos() const override {
    return 1000 + static_cast<int64_t>(oneRow);
  }
  std::vector<int64_t> fileEnds() const override { return ends; }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> fields) const override;

  /// Once it is known to be of these fields.
  Status readSums();

private:
  FileCache(std::string path, InputFile file, std::vector<size_t> rowBytes)
      : path(std::move(path)), file(std::move(file)),
        rowBytes(std::move(rowBytes)) {
    for (size_t bytes : this->rowBytes)
      oneRow += bytes;
  }
  Status damaged(const std::string &what) const {
    return dataLoss("the cache '" + path + "' " + what +
                    "; remove it, and it is made anew");
  }
  Status readHead(std::string &identity);
  Status readNumbers(std::string_view text);

  std::string path;
  InputFile file;
  std::vector<size_t> rowBytes; ///< by field
  size_t oneRow = 0;            ///< bytes of all fields
  int64_t count = 0;
  uint64_t dataStart = 0;
  std::vector<int64_t> ends;
  std::vector<uint32_t> crcs; ///< by row
};

/// "rows 100" and "ends 50 100", each a line.
Status FileCache::readNumbers(std::string_view text) {
  const char *at = text.data(), *end = text.data() + text.size();
  auto skip = [&](std::string_view word) {
    if (!std::string_view(at, static_cast<size_t>(end - at)).starts_with(word))
      return false;
    at += word.size();
    return true;
  };
  auto read = [&](int64_t &number) {
    auto [next, error] = std::from_chars(at, end, number);
    at = next;
    return error == std::errc() && number >= 0;
  };
  bool isGood = skip(kRows) && read(count) && skip("\n") && skip(kEnds);
  while (isGood && skip(" ")) {
    int64_t before = ends.empty() ? 0 : ends.back();
    isGood = read(ends.emplace_back()) && ends.back() >= before;
  }
  isGood = isGood && skip("\n") && at == end && !ends.empty() &&
           ends.back() == count;
  return isGood ? Status::ok() : damaged("has a head that makes no sense");
}

Status FileCache::readHead(std::string &identity) {
  char head[kHead];
  if (file.size() < kHead)
    return damaged("was cut");
  GRAPHC_TRY(file.readAt(0, std::as_writable_bytes(std::span(head))));
  uint64_t numbers[2];
  std::memcpy(numbers, head + sizeof(kMagic), sizeof(numbers));
  if (std::memcmp(head, kMagic, sizeof(kMagic)) != 0)
    return failedPrecondition("'" + path +
                              "' is no cache of data; name "
                              "another file by ?cache=");
  uint64_t size = numbers[0];
  if (size > std::min(kMostDescription, file.size() - kHead))
    return damaged("was cut");
  std::string text(size, '\0');
  GRAPHC_TRY(
      file.readAt(kHead, std::as_writable_bytes(std::span(text.data(), size))));
  if (maskedCrc32c(bytesOf(text)) != numbers[1])
    return damaged("has a wrong CRC of its head");
  size_t at = text.rfind(std::string("\n") + kRows);
  if (at == std::string::npos)
    return damaged("has a head that makes no sense");
  GRAPHC_TRY(readNumbers(std::string_view(text).substr(at + 1)));
  identity = text.substr(0, at + 1);
  dataStart = kHead + size;
  return Status::ok();
}

StatusOr<std::unique_ptr<FileCache>>
FileCache::open(const std::string &path, std::vector<size_t> rowBytes,
                std::string &identity) {
  GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  std::unique_ptr<FileCache> cache(
      new FileCache(path, std::move(file), std::move(rowBytes)));
  GRAPHC_TRY(cache->readHead(identity));
  return cache;
}

Status FileCache::readSums() {
  auto rows = static_cast<uint64_t>(count);
  uint64_t perRow = oneRow + sizeof(uint32_t), all = 0;
  if (__builtin_mul_overflow(rows, perRow, &all) ||
      file.size() - dataStart != all)
    return damaged("was cut");
  try {
    crcs.resize(rows);
  } catch (const std::exception &) {
    return resourceExhausted("the cache '" + path +
                             "' needs 4 bytes of memory "
                             "per row, more than there "
                             "is");
  }
  return file.readAt(dataStart + rows * oneRow,
                     std::as_writable_bytes(std::span(crcs)));
}

Status FileCache::gather(std::span<const int64_t> rows,
                         std::span<std::byte *const> fields) const {
  static thread_local std::vector<std::byte> buffer;
  if (buffer.size() < oneRow)
    GRAPHC_TRY(resizeBytes(buffer, oneRow, path));
  std::span<std::byte> row = std::span(buffer).first(oneRow);
  for (size_t i = 0; i < rows.size(); ++i) {
    auto number = static_cast<uint64_t>(rows[i]);
    GRAPHC_TRY(file.readAt(dataStart + number * oneRow, row));
    if (maskedCrc32c(row) != crcs[number])
      return damaged("has a wrong CRC of row " + std::to_string(number));
    const std::byte *from = row.data();
    for (size_t f = 0; f < rowBytes.size(); from += rowBytes[f++])
      if (rowBytes[f] > 0)
        std::memcpy(fields[f] + i * rowBytes[f], from, rowBytes[f]);
  }
  return Status::ok();
}

/// Describes the data of a cache, for a person who compares two.
std::string describe(const DatasetSpec &spec, const DatasetFiles &files) {
  std::string text;
  for (const DatasetSpec::Field &field : spec.fields)
    text += "field " + field.name + ": " + field.type.toString() + "\n";
  return text + describeFiles(files);
}

std::string numbersOf(const ExampleRows &rows) {
  std::string text = kRows + std::to_string(rows.rows()) + "\n" + kEnds;
  for (int64_t end : rows.fileEnds())
    text += " " + std::to_string(end);
  return text + "\n";
}

/// Reads `rows` rows from `first` on and writes them to their place.
Status writeBlock(TemporaryFile &file, const ExampleRows &source,
                  std::span<const size_t> rowBytes, uint64_t dataStart,
                  int64_t first, int64_t rows, std::span<uint32_t> crcs) {
  if (stopRequested())
    return cancelled("a signal came while the cache was written");
  size_t oneRow = 0;
  for (size_t bytes : rowBytes)
    oneRow += bytes;
  static thread_local std::vector<std::byte> block;
  size_t all = static_cast<size_t>(rows) * oneRow;
  if (block.size() < all)
    GRAPHC_TRY(resizeBytes(block, all, "the cache"));
  std::vector<std::byte *> places(rowBytes.size());
  std::byte *to = block.data();
  for (int64_t row = first; row < first + rows; ++row) {
    std::byte *begin = to;
    for (size_t f = 0; f < rowBytes.size(); to += rowBytes[f++])
      places[f] = to;
    GRAPHC_TRY(source.gather(std::span(&row, 1), places));
    crcs[static_cast<size_t>(row)] = maskedCrc32c({begin, oneRow});
  }
  return file.writeAt(dataStart + static_cast<uint64_t>(first) * oneRow,
                      std::span(block).first(all));
}

Status writeCache(const std::string &path, const std::string &identity,
                  const ExampleRows &source, std::span<const size_t> rowBytes) {
  std::string text = identity + numbersOf(source);
  uint64_t numbers[] = {text.size(), maskedCrc32c(bytesOf(text))};
  TemporaryFile file(path);
  GRAPHC_TRY(file.create());
  GRAPHC_TRY(file.write(bytesOf(std::string_view(kMagic, sizeof(kMagic)))));
  GRAPHC_TRY(file.write(std::as_bytes(std::span(numbers))));
  GRAPHC_TRY(file.write(bytesOf(text)));
  size_t oneRow = 0;
  for (size_t bytes : rowBytes)
    oneRow += bytes;
  uint64_t dataStart = kHead + text.size();
  int64_t rows = source.rows();
  std::vector<uint32_t> crcs(static_cast<size_t>(rows));
  auto perBlock = static_cast<int64_t>(
      std::max<size_t>(1, kBlock / std::max<size_t>(1, oneRow)));
  auto blocks = static_cast<size_t>((rows + perBlock - 1) / perBlock);
  GRAPHC_TRY(readEach(blocks, UINT64_MAX, [&](size_t i) {
    int64_t first = static_cast<int64_t>(i) * perBlock;
    return writeBlock(file, source, rowBytes, dataStart, first,
                      std::min(perBlock, rows - first), crcs);
  }));
  GRAPHC_TRY(file.writeAt(dataStart + static_cast<uint64_t>(rows) * oneRow,
                          std::as_bytes(std::span(crcs))));
  return file.moveToTarget();
}

/// The first line that is of one text alone, without its end.
std::string firstOther(const std::string &text, const std::string &than) {
  size_t at =
      static_cast<size_t>(std::ranges::mismatch(text, than).in1 - text.begin());
  size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return begin < text.size() ? text.substr(begin, text.find('\n', at) - begin)
                             : "nothing more";
}

} // namespace

std::string fileCacheOf(const DatasetSpec &spec, const DatasetFiles &files) {
  bool isField = std::ranges::any_of(
      spec.fields, [](const auto &field) { return field.name == "cache"; });
  auto found = files.keys.find("cache");
  return isField || found == files.keys.end() ? "" : found->second;
}

StatusOr<std::unique_ptr<ExampleRows>> openFileCache(
    const std::string &path, const DatasetSpec &spec, const DatasetFiles &files,
    const std::function<StatusOr<std::unique_ptr<ExampleRows>>()> &open) {
  std::string wanted = describe(spec, files), found;
  std::vector<size_t> rowBytes = bytesOf(spec);
  StatusOr<std::unique_ptr<FileCache>> cache =
      FileCache::open(path, rowBytes, found);
  if (cache.status().code() == StatusCode::NotFound) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ExampleRows> source, open());
    GRAPHC_TRY(writeCache(path, wanted, *source, rowBytes));
    cache = FileCache::open(path, rowBytes, found);
  }
  GRAPHC_TRY(cache.status());
  if (found != wanted)
    return failedPrecondition(
        "the cache '" + path + "' is of other data: it has '" +
        firstOther(found, wanted) + "' where these have '" +
        firstOther(wanted, found) +
        "'; remove it, and it is made anew, or name another file");
  GRAPHC_TRY((*cache)->readSums());
  return std::unique_ptr<ExampleRows>(std::move(*cache));
}

} // namespace graphc::runtime
