// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splitting PTX into words, and what number a word is.
#include "test/cuda/emulator/PtxText.h"

#include <cctype>
#include <cstdlib>

namespace graphc::emulator {

namespace {

bool isWordSign(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

/// End of the comment that begins at `at`; `at` if none does.
size_t skipComment(std::string_view text, size_t at) {
  std::string_view rest = text.substr(at);
  size_t end = std::string_view::npos;
  if (rest.substr(0, 2) == "//")
    end = text.find('\n', at);
  else if (rest.substr(0, 2) == "/*" &&
           (end = text.find("*/", at)) != std::string_view::npos)
    end += 2;
  else if (rest.substr(0, 2) != "/*")
    return at;
  return end == std::string_view::npos ? text.size() : end;
}

/// A word may hold `::`, as in `shared::cta`; one colon ends a label.
size_t endOfWord(std::string_view text, size_t at) {
  while (at < text.size())
    if (isWordSign(text[at]))
      ++at;
    else if (text.substr(at, 2) == "::")
      at += 2;
    else
      break;
  return at;
}

} // namespace

std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  uint32_t line = 1;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = skipComment(text, at);
    if (end == at) {
      end = endOfWord(text, at);
      if (text[at] == '"')
        end = std::min(text.find('"', at + 1), text.size() - 1) + 1;
      if (end == at)
        end = at + 1;
      if (!std::isspace(static_cast<unsigned char>(text[at])))
        tokens.push_back({text.substr(at, end - at), line});
    }
    for (; at < end; ++at)
      line += text[at] == '\n';
  }
  tokens.push_back({{}, line});
  return tokens;
}

bool parseNumber(std::string_view word, bool negated, uint64_t &bits) {
  // Numbers of a vector have their sign with them.
  if (!negated && word.size() > 1 && word[0] == '-')
    return parseNumber(word.substr(1), true, bits);
  if (word.empty() || !std::isdigit(static_cast<unsigned char>(word[0])))
    return false;
  // Floats are written as their bits, with their sign.
  bool isFloat =
      word.size() > 2 && word[0] == '0' &&
      std::string_view("fFdD").find(word[1]) != std::string_view::npos;
  std::string digits(isFloat ? word.substr(2) : word);
  while (!isFloat && digits.back() == 'U')
    digits.pop_back();
  char *end = nullptr;
  bits = std::strtoull(digits.c_str(), &end, isFloat ? 16 : 0);
  if (negated)
    bits = -bits;
  return *end == 0 && !(negated && isFloat);
}

uint64_t typeBytes(std::string_view type) {
  if (type == ".pred")
    return 1;
  uint64_t bits = 0;
  if (type.size() < 3 ||
      std::string_view("bsuf").find(type[1]) == std::string_view::npos ||
      !parseNumber(type.substr(2), false, bits))
    return 0;
  return bits / 8;
}

} // namespace graphc::emulator
