// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the values of a text from what nlohmann-json reads.
#include "runtime/json/JsonFile.h"

#include "runtime/base/Texts.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace graphc::runtime {

namespace {

/// Position of the parser. It reads one character more than a number has, so
/// the last character that it took does not count yet.
struct Position {
  int line = 1;
  bool isNewline = false; ///< the last one
};

/// Reads characters and counts lines.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  CountingIterator(const char *at, Position *position)
      : at(at), position(position) {}

  reference operator*() const { return *at; }
  CountingIterator &operator++() {
    position->line += position->isNewline;
    position->isNewline = *at == '\n';
    ++at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator &other) const {
    return at == other.at;
  }

private:
  const char *at;
  Position *position;
};

/// Builds the tree of one text. nlohmann calls these; false ends the parsing.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
  TreeBuilder(const JsonFile &file, const JsonLimits &limits,
              const Position &position)
      : file(file), limits(limits), position(position) {}

  JsonValue root;
  Status failure;

  bool null() override { return add(JsonValue::Kind::Null, "null"); }
  bool boolean(bool value) override {
    return add(JsonValue::Kind::Bool, value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override {
    return add(JsonValue::Kind::Number, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(JsonValue::Kind::Number, std::to_string(value));
  }
  bool number_float(number_float_t, const string_t &text) override {
    return add(JsonValue::Kind::Number, text);
  }
  bool string(string_t &value) override {
    return add(JsonValue::Kind::String, value);
  }
  bool binary(binary_t &) override { return false; }
  bool start_object(size_t) override { return open(JsonValue::Kind::Object); }
  bool start_array(size_t) override { return open(JsonValue::Kind::Array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &value) override;
  bool parse_error(size_t, const std::string &,
                   const nlohmann::json::exception &error) override;

private:
  bool fail(std::string_view problem) {
    failure = file.error(position.line, problem);
    return false;
  }
  bool isFull();
  JsonValue &place();
  bool add(JsonValue::Kind kind, std::string text);
  bool open(JsonValue::Kind kind);
  bool close() {
    path.pop_back();
    return true;
  }

  /// A list or an object that is open. A parent's children do not move while
  /// one of them is open.
  struct Open {
    JsonValue *value;
    std::unordered_set<std::string> keys;

    size_t children() const {
      return value->elements.size() + value->members.size();
    }
  };

  const JsonFile &file;
  const JsonLimits &limits;
  const Position &position;
  std::vector<Open> path;
};

/// Makes room for the next value, and names it.
JsonValue &TreeBuilder::place() {
  if (path.empty())
    return root;
  JsonValue &parent = *path.back().value;
  if (parent.kind == JsonValue::Kind::Object)
    return parent.members.back().value; // key() made it
  std::string field =
      parent.field + "[" + std::to_string(parent.elements.size()) + "]";
  JsonValue &value = parent.elements.emplace_back();
  value.field = std::move(field);
  return value;
}

/// Fails where the open list or object can have no further value.
bool TreeBuilder::isFull() {
  return !path.empty() && path.back().children() > limits.children &&
         !fail("there are more than " + std::to_string(limits.children) +
               " values here; use fewer");
}

bool TreeBuilder::add(JsonValue::Kind kind, std::string text) {
  if (isFull())
    return false;
  JsonValue &value = place();
  value.kind = kind;
  value.text = std::move(text);
  value.line = position.line;
  return true;
}

bool TreeBuilder::open(JsonValue::Kind kind) {
  if (path.size() == limits.depth)
    return fail("values are nested in more than " +
                std::to_string(limits.depth) + " others; use fewer brackets");
  if (isFull())
    return false;
  JsonValue &value = place();
  value.kind = kind;
  value.line = position.line;
  path.push_back({&value, {}});
  return true;
}

bool TreeBuilder::key(string_t &value) {
  if (isFull())
    return false;
  Open &object = path.back();
  if (!object.keys.insert(value).second)
    return fail("the key " + quote(value) +
                " is there twice; keep one of them, or rename the other");
  const std::string &field = object.value->field;
  JsonValue::Member &member = object.value->members.emplace_back();
  member.key = value;
  member.line = position.line;
  member.value.field = field.empty() ? value : field + "." + value;
  return true;
}

bool TreeBuilder::parse_error(size_t, const std::string &,
                              const nlohmann::json::exception &error) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: <what>",
  // or "[json.exception.out_of_range.406] <what>".
  std::string text = error.what();
  text.erase(0, text.find("] ") + 2);
  if (text.starts_with("parse error"))
    text.erase(0, text.find(": ") + 2);
  return fail("this is not JSON: " + text);
}

} // namespace

StatusOr<JsonFile> JsonFile::parse(const TextFile &file,
                                   const JsonLimits &limits) {
  JsonFile json;
  json.path = file.path;
  if (file.text.size() > limits.bytes)
    return json.error(1, "the text has " + std::to_string(file.text.size()) +
                             " bytes; it may have at most " +
                             std::to_string(limits.bytes));
  Position position;
  TreeBuilder builder(json, limits, position);
  const char *begin = file.text.data();
  bool isGood = nlohmann::json::sax_parse(
      CountingIterator(begin, &position),
      CountingIterator(begin + file.text.size(), &position), &builder);
  if (!isGood)
    return builder.failure;
  json.value = std::move(builder.root);
  return json;
}

} // namespace graphc::runtime
