// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/compiler/MutateText.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace graphc::test {

namespace {

using Words = std::vector<std::string>;

enum class Kind { Other, Number, Element, Name };

bool isPartOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
         c == '$';
}

bool isElement(const std::string &word) {
  static const char *const kElements[] = {"f32", "f64", "i32", "i64",
                                          "i1",  "ui8", "f16", "index"};
  return std::ranges::find(kElements, word) != std::end(kElements);
}

Kind kindOf(const std::string &word) {
  if (std::isdigit(static_cast<unsigned char>(word[0])))
    return Kind::Number;
  if (isElement(word))
    return Kind::Element;
  return isPartOfName(word[0]) || word[0] == '%' || word[0] == '@'
             ? Kind::Name
             : Kind::Other;
}

/// "tensor<4x?xf32>" is "tensor", "<", "4", "x", "?", "x", "f32", ">".
Words split(std::string_view text) {
  Words words;
  while (!text.empty()) {
    size_t size = 1;
    bool isSigil = text[0] == '%' || text[0] == '@';
    if (std::isdigit(static_cast<unsigned char>(text[0])))
      while (size < text.size() &&
             std::isdigit(static_cast<unsigned char>(text[size])))
        ++size;
    else if (text[0] == 'x' && !words.empty() &&
             (kindOf(words.back()) == Kind::Number || words.back() == "?"))
      size = 1;
    else if (isPartOfName(text[0]) || isSigil)
      while (size < text.size() && isPartOfName(text[size]))
        ++size;
    words.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return words;
}

std::string join(const Words &words) {
  std::string text;
  for (const std::string &word : words)
    text += word;
  return text;
}

template <typename T>
const T &pick(const std::vector<T> &list, std::mt19937 &random) {
  return list[random() % list.size()];
}

std::string otherNumber(const std::string &number, std::mt19937 &random) {
  static const std::vector<std::string> kNumbers = {
      "0",          "1",          "2",          "3",
      "4",          "5",          "7",          "8",
      "16",         "-1",         "255",        "65536",
      "2147483647", "4294967296", "1073741824", "9223372036854775807",
      "1.5",        "1.0e38",     "0x7FC00000", "?"};
  if (random() % 3 == 0 && number.size() < 10)
    return std::to_string(std::stoll(number) + static_cast<int>(random() % 3) -
                          1);
  return pick(kNumbers, random);
}

void changeWord(Words &words, std::mt19937 &random) {
  static const std::vector<std::string> kElements = {"f32", "f64", "i32",
                                                     "i64", "i1",  "ui8"};
  for (int i = 0; i < 20; ++i) {
    size_t at = random() % words.size();
    Kind kind = kindOf(words[at]);
    if (kind == Kind::Other)
      continue;
    if (kind == Kind::Number) {
      words[at] = otherNumber(words[at], random);
      return;
    }
    if (kind == Kind::Element) {
      words[at] = pick(kElements, random);
      return;
    }
    const std::string &other = pick(words, random);
    if (other[0] != words[at][0] || other == words[at])
      continue;
    words[at] = other;
    return;
  }
}

/// All types and sizes that are equal stay equal.
void changeEverywhere(Words &words, std::mt19937 &random) {
  std::string old = pick(words, random);
  Kind kind = kindOf(old);
  if (kind != Kind::Number && kind != Kind::Element)
    return changeWord(words, random);
  Words one = {old};
  changeWord(one, random);
  std::ranges::replace(words, old, one[0]);
}

std::string changeLines(std::string_view text, std::mt19937 &random) {
  Words lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  size_t from = random() % lines.size(), to = random() % lines.size();
  switch (random() % 3) {
  case 0:
    lines.erase(lines.begin() + from);
    break;
  case 1:
    lines.insert(lines.begin() + to, std::string(lines[from]));
    break;
  default:
    std::swap(lines[from], lines[to]);
  }
  return join(lines);
}

} // namespace

std::string mutateText(std::string_view text, std::mt19937 &random) {
  if (text.empty())
    return "module {\n}\n";
  unsigned choice = random() % 4;
  if (choice == 0)
    return changeLines(text, random);
  Words words = split(text);
  if (choice == 1)
    changeEverywhere(words, random);
  else
    changeWord(words, random);
  return join(words);
}

} // namespace graphc::test
