// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Suggest.h"

#include <algorithm>
#include <numeric>

namespace graphc::runtime {

size_t editDistance(std::string_view from, std::string_view to) {
  // Rows of the classic table: row[j] is the distance from the prefix of `from`
  // seen so far to the first j bytes of `to`; `last` and `before` are the rows
  // of the prefixes that are shorter by one and by two bytes.
  std::vector<size_t> row(to.size() + 1), last(row), before(row);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      row[j + 1] =
          std::min({last[j] + (from[i] != to[j]), row[j] + 1, last[j + 1] + 1});
      bool areExchanged =
          i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j];
      if (areExchanged)
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

std::string nearestName(std::string_view name,
                        const std::vector<std::string> &known) {
  size_t limit = std::max<size_t>(1, name.size() / 3);
  std::string nearest;
  for (const std::string &candidate : known) {
    size_t distance = editDistance(name, candidate);
    if (distance > limit || distance >= candidate.size())
      continue;
    limit = distance - (distance > 0);
    nearest = candidate;
    if (distance <= 1)
      break;
  }
  return nearest;
}

std::string quotedList(const std::vector<std::string> &names) {
  constexpr size_t kMax = 20;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMax); ++i)
    text += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > kMax)
    text += " and " + std::to_string(names.size() - kMax) + " more";
  return text;
}

std::string unknownName(std::string_view what, std::string_view kind,
                        std::string_view name,
                        const std::vector<std::string> &known) {
  std::string text = std::string(what) + " has no " + std::string(kind) + " '" +
                     std::string(name) + "'; it has ";
  text += known.empty() ? "none" : quotedList(known);
  std::string nearest = nearestName(name, known);
  if (!nearest.empty())
    text += "; did you mean '" + nearest + "'?";
  return text;
}

} // namespace graphc::runtime
