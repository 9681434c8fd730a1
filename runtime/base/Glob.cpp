// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Glob.h"

#include <fnmatch.h>

namespace graphc::runtime {

namespace {

/// The text behind "tower_N/"; the name itself where it begins otherwise.
std::string_view behindTower(std::string_view name) {
  constexpr std::string_view kTower = "tower_";
  if (!name.starts_with(kTower))
    return name;
  size_t end = name.find_first_not_of("0123456789", kTower.size());
  bool isTower =
      end != std::string_view::npos && end > kTower.size() && name[end] == '/';
  return isTower ? name.substr(end + 1) : name;
}

} // namespace

bool matchesGlob(const std::string &pattern, const std::string &name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool matchesOpName(const std::string &pattern, const std::string &name) {
  if (matchesGlob(pattern, name))
    return true;
  std::string_view rest = behindTower(name);
  if (rest.size() < name.size() && matchesGlob(pattern, std::string(rest)))
    return true;
  return pattern.ends_with(":0") &&
         matchesOpName(pattern.substr(0, pattern.size() - 2), name);
}

std::vector<std::string> splitList(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos)
      return parts;
    text.remove_prefix(comma + 1);
  }
}

} // namespace graphc::runtime
