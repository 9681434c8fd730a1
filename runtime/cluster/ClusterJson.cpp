// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cluster/ClusterJson.h"

#include <iterator>
#include <nlohmann/json.hpp>

namespace graphc::runtime {

namespace {

constexpr size_t kMostDepth = 8;
constexpr size_t kMostChildren = 4096;

/// Where the parser is. It reads one character more than a number has, so the
/// last character that it took does not count yet.
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
  TreeBuilder(std::string_view where, const Position &position)
      : where(where), position(position) {}

  ClusterJson root;
  Status failure;

  bool null() override { return add(ClusterJson::Kind::Null, "null"); }
  bool boolean(bool value) override {
    return add(ClusterJson::Kind::Bool, value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override {
    return add(ClusterJson::Kind::Number, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(ClusterJson::Kind::Number, std::to_string(value));
  }
  bool number_float(number_float_t, const string_t &text) override {
    return add(ClusterJson::Kind::Number, text);
  }
  bool string(string_t &value) override {
    return add(ClusterJson::Kind::String, value);
  }
  bool binary(binary_t &) override { return false; }
  bool start_object(size_t) override { return open(ClusterJson::Kind::Object); }
  bool start_array(size_t) override { return open(ClusterJson::Kind::Array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &value) override;
  bool parse_error(size_t, const std::string &,
                   const nlohmann::json::exception &error) override;

private:
  bool fail(std::string_view problem) {
    failure = invalidArgument(std::string(where) + ":" +
                              std::to_string(position.line) + ": " +
                              std::string(problem));
    return false;
  }
  bool isFull();
  ClusterJson &place();
  bool add(ClusterJson::Kind kind, std::string text);
  bool open(ClusterJson::Kind kind);
  bool close() {
    path.pop_back();
    return true;
  }

  std::string_view where;
  const Position &position;
  /// The lists and objects that are open. A parent's children do not move
  /// while one of them is open.
  std::vector<ClusterJson *> path;
};

/// Where the next value goes, with its name.
ClusterJson &TreeBuilder::place() {
  if (path.empty())
    return root;
  ClusterJson &parent = *path.back();
  if (parent.kind == ClusterJson::Kind::Object)
    return parent.children.back(); // key() made it
  std::string field =
      parent.field + "[" + std::to_string(parent.children.size()) + "]";
  ClusterJson &value = parent.children.emplace_back();
  value.field = std::move(field);
  return value;
}

/// Says so where the open list or object can have no further value.
bool TreeBuilder::isFull() {
  return !path.empty() && path.back()->children.size() > kMostChildren &&
         !fail("there are more than " + std::to_string(kMostChildren) +
               " values here; use fewer");
}

bool TreeBuilder::add(ClusterJson::Kind kind, std::string text) {
  if (isFull())
    return false;
  ClusterJson &value = place();
  value.kind = kind;
  value.text = std::move(text);
  value.line = position.line;
  return true;
}

bool TreeBuilder::open(ClusterJson::Kind kind) {
  if (path.size() == kMostDepth)
    return fail("values are nested in more than " + std::to_string(kMostDepth) +
                " others; a cluster needs three");
  if (isFull())
    return false;
  ClusterJson &value = place();
  value.kind = kind;
  value.line = position.line;
  path.push_back(&value);
  return true;
}

bool TreeBuilder::key(string_t &value) {
  if (isFull())
    return false;
  ClusterJson &object = *path.back();
  if (object.find(value))
    return fail("the key '" + value +
                "' is there twice; keep one of them, or rename the other");
  ClusterJson &member = object.children.emplace_back();
  member.key = value;
  member.line = position.line;
  member.field = object.field.empty() ? value : object.field + "." + value;
  return true;
}

bool TreeBuilder::parse_error(size_t, const std::string &,
                              const nlohmann::json::exception &error) {
  // "[json.exception...] parse error at line 1, column 2: <what>".
  std::string text = error.what();
  size_t colon = text.find(": ");
  return fail("this is not JSON: " +
              (colon == std::string::npos ? text : text.substr(colon + 2)));
}

} // namespace

const ClusterJson *ClusterJson::find(std::string_view key) const {
  for (const ClusterJson &child : children)
    if (kind == Kind::Object && child.key == key)
      return &child;
  return nullptr;
}

StatusOr<ClusterJson> parseClusterJson(std::string_view text,
                                       std::string_view where) {
  if (text.size() > kMostClusterText)
    return invalidArgument(
        std::string(where) + ":1: the text has " + std::to_string(text.size()) +
        " bytes; a cluster has at most " + std::to_string(kMostClusterText));
  Position position;
  TreeBuilder builder(where, position);
  bool isGood = nlohmann::json::sax_parse(
      CountingIterator(text.data(), &position),
      CountingIterator(text.data() + text.size(), &position), &builder);
  if (!isGood)
    return builder.failure;
  return std::move(builder.root);
}

Status clusterError(std::string_view where, const ClusterJson &value,
                    std::string_view problem) {
  return invalidArgument(std::string(where) + ":" + std::to_string(value.line) +
                         ": " +
                         (value.field.empty() ? "" : "'" + value.field + "' ") +
                         std::string(problem));
}

} // namespace graphc::runtime
