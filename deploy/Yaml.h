// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// YAML documents, written so that every reader takes them the same way.
#ifndef GRAPHC_DEPLOY_YAML_H
#define GRAPHC_DEPLOY_YAML_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace graphc::deploy {

/// A text, a number, a flag, a list or a map, whose members keep their order.
/// Texts are in double quotes wherever a reader could take them for something
/// else. Thread-safety: as a value type.
class Yaml {
public:
  Yaml() : Yaml(Members{}) {}
  Yaml(std::string text) : kind(Kind::Text), scalar(std::move(text)) {}
  Yaml(const char *text) : Yaml(std::string(text)) {}
  Yaml(int64_t number) : kind(Kind::Plain), scalar(std::to_string(number)) {}
  Yaml(int number) : Yaml(static_cast<int64_t>(number)) {}
  Yaml(bool flag) : kind(Kind::Plain), scalar(flag ? "true" : "false") {}

  using Members = std::vector<std::pair<std::string, Yaml>>;
  Yaml(Members members) : kind(Kind::Map), members(std::move(members)) {}

  static Yaml list(std::vector<Yaml> items);
  static Yaml texts(const std::vector<std::string> &items);

  /// Adds a member to a map.
  Yaml &add(std::string key, Yaml value);
  /// Adds an item to a list.
  Yaml &append(Yaml value);

  /// Ends with a newline.
  std::string print() const;

private:
  enum class Kind { Text, Plain, List, Map };

  void printInto(std::string &out, size_t indent, bool isInline) const;

  Kind kind;
  std::string scalar;
  Members members; ///< keys are empty in a list
};

/// A text as a scalar, in double quotes where that is needed.
std::string yamlText(const std::string &text);

} // namespace graphc::deploy

#endif
