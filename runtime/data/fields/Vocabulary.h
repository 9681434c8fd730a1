// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words with numbers, from a file of one word per line.
#ifndef GRAPHC_RUNTIME_DATA_FIELDS_VOCABULARY_H
#define GRAPHC_RUNTIME_DATA_FIELDS_VOCABULARY_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace graphc::runtime {

/// The number of a word is that of its line, from 0. Thread-safety: const calls
/// may run at the same time.
class Vocabulary {
public:
  /// INVALID_ARGUMENT for a word that stands there twice.
  static StatusOr<std::shared_ptr<const Vocabulary>>
  load(const std::string &path);

  std::optional<int64_t> find(std::string_view word) const;
  const std::string &path() const { return name; }
  size_t size() const { return numbers.size(); }

private:
  std::string name;
  std::vector<std::byte> text; ///< that the words point into
  std::unordered_map<std::string_view, int64_t> numbers;
};

} // namespace graphc::runtime

#endif
