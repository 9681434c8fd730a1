// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "deploy/Yaml.h"

#include <algorithm>
#include <cstdio>

namespace graphc::deploy {

namespace {

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// True for words that some version of YAML reads as a bool, null or float.
bool isReserved(const std::string &text) {
  std::string lower;
  for (char c : text)
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const char *word : {"true", "false", "yes", "no", "on", "off", "y", "n",
                           "null", "inf", "nan"})
    if (lower == word)
      return true;
  return false;
}

/// A letter, then letters, digits and what no reader takes for syntax.
bool isPlain(const std::string &text) {
  if (text.empty() || !isLetter(text.front()) || isReserved(text))
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return isLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '/';
  });
}

} // namespace

std::string yamlText(const std::string &text) {
  if (isPlain(text))
    return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char code[5];
      std::snprintf(code, sizeof(code), "\\x%02x",
                    static_cast<unsigned char>(c));
      quoted += code;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

Yaml Yaml::list(std::vector<Yaml> items) {
  Yaml result;
  result.kind = Kind::List;
  for (Yaml &item : items)
    result.append(std::move(item));
  return result;
}

Yaml Yaml::texts(const std::vector<std::string> &items) {
  Yaml result = list({});
  for (const std::string &item : items)
    result.append(item);
  return result;
}

Yaml &Yaml::add(std::string key, Yaml value) {
  members.emplace_back(std::move(key), std::move(value));
  return *this;
}

Yaml &Yaml::append(Yaml value) { return add("", std::move(value)); }

/// `isInline`: the first line is begun already, after "- ".
void Yaml::printInto(std::string &out, size_t indent, bool isInline) const {
  for (size_t i = 0; i < members.size(); ++i) {
    const auto &[key, value] = members[i];
    if (i > 0 || !isInline)
      out.append(indent, ' ');
    out += kind == Kind::List ? "-" : yamlText(key) + ":";
    bool isNested = value.kind == Kind::List || value.kind == Kind::Map;
    if (!isNested) {
      out +=
          " " +
          (value.kind == Kind::Text ? yamlText(value.scalar) : value.scalar) +
          "\n";
    } else if (value.members.empty()) {
      out += value.kind == Kind::List ? " []\n" : " {}\n";
    } else if (kind == Kind::List) {
      out += " ";
      value.printInto(out, indent + 2, /*isInline=*/true);
    } else {
      out += "\n";
      value.printInto(out, indent + 2, /*isInline=*/false);
    }
  }
}

std::string Yaml::print() const {
  std::string out;
  printInto(out, 0, /*isInline=*/false);
  return out;
}

} // namespace graphc::deploy
