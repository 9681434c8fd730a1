// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/DatasetFiles.h"

#include "runtime/data/source/SourceFormat.h"

#include <charconv>
#include <filesystem>
#include <glob.h>

namespace graphc::runtime {

namespace {

StatusOr<std::optional<int64_t>> parseBound(std::string_view text,
                                            std::string_view range) {
  if (text.empty())
    return std::optional<int64_t>();
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return invalidArgument("'@" + std::string(range) +
                           "' is no range of rows; write @BEGIN:END with "
                           "numbers from 0, e.g. @0:5000 or @5000:");
  return std::optional<int64_t>(value);
}

Status parseRange(std::string_view range, DatasetFiles &files) {
  size_t colon = range.find(':');
  if (colon == std::string_view::npos)
    return invalidArgument("'@" + std::string(range) +
                           "' is no range of rows; write @BEGIN:END");
  GRAPHC_ASSIGN_OR_RETURN(files.begin,
                          parseBound(range.substr(0, colon), range));
  GRAPHC_ASSIGN_OR_RETURN(files.end,
                          parseBound(range.substr(colon + 1), range));
  return Status::ok();
}

/// "FIELD=KEY&FIELD=KEY".
Status parseKeys(std::string_view text, DatasetFiles &files) {
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    size_t sign = part.find('=');
    if (sign == std::string_view::npos || sign == 0 || sign + 1 == part.size())
      return invalidArgument("'?" + std::string(part) +
                             "' is no name of a feature; write ?FIELD=KEY");
    files.keys[std::string(part.substr(0, sign))] = part.substr(sign + 1);
  }
  return Status::ok();
}

/// Adds a file, or those that a name with '*' fits.
Status addPaths(const std::string &path, DatasetFiles &files) {
  std::error_code error;
  if (path.find('*') == std::string::npos ||
      std::filesystem::exists(path, error)) {
    files.paths.push_back(path);
    return Status::ok();
  }
  glob_t found{};
  int result = ::glob(path.c_str(), 0, nullptr, &found); // sorts them
  for (size_t i = 0; result == 0 && i < found.gl_pathc; ++i)
    files.paths.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  return result == 0 ? Status::ok()
                     : notFound("no file fits '" + path + "'; check the path");
}

} // namespace

Status checkRowRange(const DatasetFiles &files, int64_t begin, int64_t end,
                     int64_t rows, int64_t batch) {
  if (begin > rows || end > rows)
    return invalidArgument("the rows " + std::to_string(begin) + ":" +
                           std::to_string(end) + " are not all in '" +
                           files.paths[0] + "', which has " +
                           std::to_string(rows) + " rows");
  if (end - begin >= batch)
    return Status::ok();
  return invalidArgument("'" + files.paths[0] + "' gives " +
                         std::to_string(std::max<int64_t>(end - begin, 0)) +
                         " examples, fewer than one batch of " +
                         std::to_string(batch) +
                         "; use a smaller batch or more data");
}

StatusOr<DatasetFiles> parseDatasetFiles(std::string_view text) {
  DatasetFiles files;
  size_t at = text.rfind('@');
  if (at != std::string_view::npos && at + 1 < text.size() &&
      text.find_first_not_of("0123456789:-", at + 1) ==
          std::string_view::npos) {
    GRAPHC_TRY(parseRange(text.substr(at + 1), files));
    text = text.substr(0, at);
  }
  size_t mark = text.rfind('?');
  if (mark != std::string_view::npos &&
      text.find('=', mark) != std::string_view::npos) {
    GRAPHC_TRY(parseKeys(text.substr(mark + 1), files));
    text = text.substr(0, mark);
  }
  const SourceFormat *format = namedFormat(text.substr(0, text.find(':')));
  if (format && text.size() > format->name().size()) {
    files.format = format->name();
    text.remove_prefix(files.format.size() + 1);
  }
  for (;;) {
    size_t comma = text.find(',');
    std::string path(text.substr(0, comma));
    if (path.empty())
      return invalidArgument("a file name is empty; write "
                             "FILE[,FILE...][@BEGIN:END]");
    if (format && format->makesRows())
      files.paths.push_back(path);
    else
      GRAPHC_TRY(addPaths(path, files));
    if (comma == std::string_view::npos)
      return files;
    text.remove_prefix(comma + 1);
  }
}

} // namespace graphc::runtime
