// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/fields/Vocabulary.h"

#include "runtime/base/Texts.h"
#include "runtime/data/File.h"

namespace graphc::runtime {

StatusOr<std::shared_ptr<const Vocabulary>>
Vocabulary::load(const std::string &path) {
  auto words = std::make_shared<Vocabulary>();
  words->name = path;
  GRAPHC_ASSIGN_OR_RETURN(words->text, readFileBytes(path));
  std::string_view rest(reinterpret_cast<const char *>(words->text.data()),
                        words->text.size());
  for (int64_t number = 0; !rest.empty(); ++number) {
    std::string_view word = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.ends_with('\r'))
      word.remove_suffix(1);
    auto [known, isNew] = words->numbers.emplace(word, number);
    if (!isNew)
      return invalidArgument(path + ":" + std::to_string(number + 1) +
                             ": the word " + quote(word) + " is on line " +
                             std::to_string(known->second + 1) +
                             " already; write each word once");
  }
  return std::shared_ptr<const Vocabulary>(std::move(words));
}

std::optional<int64_t> Vocabulary::find(std::string_view word) const {
  auto found = numbers.find(word);
  if (found == numbers.end())
    return std::nullopt;
  return found->second;
}

} // namespace graphc::runtime
