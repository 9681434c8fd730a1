// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/pipeline/DataIdentity.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>

namespace graphc::runtime {

namespace {

namespace fs = std::filesystem;

/// A name of any bytes, in one line.
std::string inLine(std::string text) {
  std::ranges::replace(text, '\n', '?');
  return text;
}

std::string describeFile(const std::string &name, const std::string &path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0)
    return inLine(name) + " none\n";
  std::string nanos = std::to_string(info.st_mtim.tv_nsec);
  return inLine(name) + " of " + std::to_string(info.st_size) +
         " bytes, changed at " + std::to_string(info.st_mtim.tv_sec) + "." +
         std::string(9 - std::min<size_t>(9, nanos.size()), '0') + nanos + "\n";
}

std::string describeFolder(const std::string &path) {
  std::vector<std::string> lines;
  std::error_code error;
  for (fs::recursive_directory_iterator it(path, error), end;
       !error && it != end; it.increment(error))
    if (it->is_regular_file(error))
      lines.push_back("file " +
                      describeFile(it->path().lexically_relative(path).string(),
                                   it->path().string()));
  std::ranges::sort(lines);
  std::string text;
  for (const std::string &line : lines)
    text += line;
  return text;
}

/// The file of "KEY:vocab=FILE:..."; empty: none.
std::string vocabularyOf(const std::string &key) {
  constexpr std::string_view kOption = ":vocab=";
  size_t at = key.find(kOption);
  if (at == std::string::npos)
    return {};
  at += kOption.size();
  return key.substr(at, key.find(':', at) - at);
}

} // namespace

std::string describeFiles(const DatasetFiles &files) {
  std::string text;
  if (!files.format.empty())
    text += "format " + files.format + "\n";
  for (const auto &[field, key] : files.keys) {
    text += "option " + inLine(field + "=" + key) + "\n";
    if (std::string path = vocabularyOf(key); !path.empty())
      text += "words " + describeFile(fs::path(path).filename(), path);
  }
  for (const std::string &path : files.paths) {
    std::error_code error;
    text += fs::is_directory(path, error)
                ? describeFolder(path)
                : "file " + describeFile(fs::path(path).filename(), path);
  }
  return text;
}

} // namespace graphc::runtime
