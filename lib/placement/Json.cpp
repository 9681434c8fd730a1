// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/Json.h"

#include "runtime/base/Suggest.h"
#include "runtime/base/Texts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstdlib>

using graphc::runtime::quote;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;

namespace graphc {

namespace {

constexpr int kMaxDepth = 64;

const char *kindName(JsonValue::Kind kind) {
  switch (kind) {
  case JsonValue::Kind::Null:
    return "null";
  case JsonValue::Kind::Bool:
    return "true or false";
  case JsonValue::Kind::Number:
    return "a number";
  case JsonValue::Kind::String:
    return "a string";
  case JsonValue::Kind::Array:
    return "a list '[...]'";
  case JsonValue::Kind::Object:
    return "an object '{...}'";
  }
  return "";
}

/// Recursive descent over one text. The functions give false after they noted
/// what is wrong, and where.
class JsonParser {
public:
  explicit JsonParser(std::string_view text) : rest(text) {}

  bool parse(JsonValue &value);

  int line = 1;
  std::string reason;

private:
  bool fail(std::string why) {
    reason = std::move(why);
    return false;
  }
  void skipBlanks();
  bool take(char c);
  bool expect(char c, std::string_view where);
  bool parseValue(JsonValue &value);
  bool parseObject(JsonValue &value);
  bool parseArray(JsonValue &value);
  bool parseString(std::string &text);
  bool parseEscape(std::string &text);
  bool parseUnit(unsigned &unit);
  bool parseNumber(std::string &text);
  bool parseWord(JsonValue &value);
  std::string found() const;

  std::string_view rest;
  int depth = 0;
};

void JsonParser::skipBlanks() {
  size_t size = 0;
  while (size < rest.size() && (rest[size] == ' ' || rest[size] == '\t' ||
                                rest[size] == '\r' || rest[size] == '\n'))
    line += rest[size++] == '\n';
  rest.remove_prefix(size);
}

/// Skips blanks and then `c`, if it is there.
bool JsonParser::take(char c) {
  skipBlanks();
  if (rest.empty() || rest.front() != c)
    return false;
  rest.remove_prefix(1);
  return true;
}

/// What stands here, for a message.
std::string JsonParser::found() const {
  if (rest.empty())
    return "the file ends";
  unsigned char c = rest.front();
  if (c < 0x20 || c >= 0x7f)
    return "found a byte of value " + std::to_string(c);
  return "found " + quote(rest.substr(0, 1));
}

bool JsonParser::expect(char c, std::string_view where) {
  return take(c) || fail("expected " + quote(std::string_view(&c, 1)) + " " +
                         std::string(where) + ", but " + found());
}

bool JsonParser::parse(JsonValue &value) {
  if (!parseValue(value))
    return false;
  skipBlanks();
  return rest.empty() ||
         fail("expected nothing behind the first value, but " + found());
}

bool JsonParser::parseValue(JsonValue &value) {
  skipBlanks();
  value.line = line;
  char first = rest.empty() ? '\0' : rest.front();
  if (first == '{' || first == '[') {
    if (depth == kMaxDepth)
      return fail("values are nested in more than " +
                  std::to_string(kMaxDepth) + " others");
    ++depth;
    bool good = first == '{' ? parseObject(value) : parseArray(value);
    --depth;
    return good;
  }
  if (first == '"') {
    value.kind = JsonValue::Kind::String;
    return parseString(value.text);
  }
  if (first == '-' || llvm::isDigit(first)) {
    value.kind = JsonValue::Kind::Number;
    return parseNumber(value.text);
  }
  return parseWord(value);
}

bool JsonParser::parseObject(JsonValue &value) {
  value.kind = JsonValue::Kind::Object;
  llvm::StringSet<> keys;
  take('{');
  if (take('}'))
    return true;
  do {
    skipBlanks();
    JsonValue::Member member;
    member.line = line;
    if (rest.empty() || rest.front() != '"')
      return fail("expected a key in double quotes, but " + found());
    if (!parseString(member.key))
      return false;
    if (!keys.insert(member.key).second)
      return fail("the key " + quote(member.key) +
                  " is there twice; keep one of them");
    if (!expect(':', "behind the key") || !parseValue(member.value))
      return false;
    value.members.push_back(std::move(member));
  } while (take(','));
  return expect('}', "or ',' behind a value");
}

bool JsonParser::parseArray(JsonValue &value) {
  value.kind = JsonValue::Kind::Array;
  take('[');
  if (take(']'))
    return true;
  do {
    if (!parseValue(value.elements.emplace_back()))
      return false;
  } while (take(','));
  return expect(']', "or ',' behind a value");
}

/// Four hexadecimal digits.
bool JsonParser::parseUnit(unsigned &unit) {
  unit = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned digit = rest.empty() ? -1u : llvm::hexDigitValue(rest.front());
    if (digit == -1u)
      return fail("'\\u' needs four hexadecimal digits behind it");
    unit = unit * 16 + digit;
    rest.remove_prefix(1);
  }
  return true;
}

/// What stands behind a backslash.
bool JsonParser::parseEscape(std::string &text) {
  char c = rest.empty() ? '\0' : rest.front();
  static constexpr std::string_view kShort = "\"\\/bfnrt";
  static constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
  size_t index = c ? kShort.find(c) : std::string_view::npos;
  if (index == std::string_view::npos && c != 'u')
    return fail("no escape begins with '\\' here; write '\\\\' for a "
                "backslash");
  rest.remove_prefix(1);
  if (c != 'u') {
    text += kMeaning[index];
    return true;
  }
  unsigned unit = 0;
  if (!parseUnit(unit))
    return false;
  if (unit >= 0xd800 && unit < 0xdc00 && rest.substr(0, 2) == "\\u") {
    rest.remove_prefix(2);
    unsigned low = 0;
    if (!parseUnit(low))
      return false;
    if (low >= 0xdc00 && low < 0xe000)
      unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }
  char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = buffer;
  if ((unit >= 0xd800 && unit < 0xe000) ||
      !llvm::ConvertCodePointToUTF8(unit, end))
    return fail("'\\u' is followed by half a character only");
  text.append(buffer, end);
  return true;
}

bool JsonParser::parseString(std::string &text) {
  rest.remove_prefix(1);
  while (!rest.empty() && rest.front() != '"') {
    char c = rest.front();
    if (static_cast<unsigned char>(c) < 0x20)
      return fail("the string is not closed on its line, or holds a control "
                  "character; close it with '\"'");
    rest.remove_prefix(1);
    if (c != '\\')
      text += c;
    else if (!parseEscape(text))
      return false;
  }
  if (rest.empty())
    return fail("the string is not closed; close it with '\"'");
  rest.remove_prefix(1);
  return true;
}

bool JsonParser::parseNumber(std::string &text) {
  size_t size = 0;
  auto digits = [&] {
    size_t begin = size;
    while (size < rest.size() && llvm::isDigit(rest[size]))
      ++size;
    return size > begin;
  };
  auto is = [&](std::string_view set) {
    return size < rest.size() && set.find(rest[size]) != set.npos;
  };
  if (is("-"))
    ++size;
  bool good = is("0") ? ++size != 0 : digits();
  if (good && is(".")) {
    ++size;
    good = digits();
  }
  if (good && is("eE")) {
    ++size;
    if (is("+-"))
      ++size;
    good = digits();
  }
  // Such as 012 and 1x.
  if (good && size < rest.size() && llvm::isAlnum(rest[size]))
    good = false;
  if (!good)
    return fail("a number is malformed; write it as 4, -4, 0.5 or 1e9");
  text = std::string(rest.substr(0, size));
  rest.remove_prefix(size);
  return true;
}

bool JsonParser::parseWord(JsonValue &value) {
  size_t size = 0;
  while (size < rest.size() && llvm::isAlpha(rest[size]))
    ++size;
  std::string_view word = rest.substr(0, size);
  if (word != "null" && word != "true" && word != "false")
    return fail("expected a value, but " +
                (size ? "found " + quote(word) +
                            "; strings are written in "
                            "double quotes"
                      : found()));
  value.kind = word == "null" ? JsonValue::Kind::Null : JsonValue::Kind::Bool;
  value.text = std::string(word);
  rest.remove_prefix(size);
  return true;
}

} // namespace

const JsonValue *JsonValue::find(std::string_view key) const {
  for (const Member &member : members)
    if (member.key == key)
      return &member.value;
  return nullptr;
}

StatusOr<JsonFile> JsonFile::parse(const TextFile &file) {
  JsonFile json;
  json.path = file.path;
  size_t bad = 0;
  if (!llvm::json::isUTF8(file.text, &bad)) {
    auto end = file.text.begin() + bad;
    int line = 1 + std::count(file.text.begin(), end, '\n');
    return json.error(line, "is not UTF-8; save the file in that encoding");
  }
  JsonParser parser(file.text);
  if (!parser.parse(json.value))
    return json.error(parser.line, "no JSON: " + parser.reason);
  return json;
}

std::string JsonFile::place(int line) const {
  return path + ":" + std::to_string(line);
}

Status JsonFile::error(int line, std::string_view message) const {
  return runtime::invalidArgument(place(line) + ": " + std::string(message));
}

Status JsonFile::expect(const JsonValue &value, JsonValue::Kind kind,
                        std::string_view what) const {
  if (value.kind == kind)
    return Status::ok();
  return error(value.line, std::string(what) + " must be " + kindName(kind) +
                               ", but is " + kindName(value.kind));
}

Status JsonFile::expectObject(const JsonValue &value,
                              std::string_view what) const {
  return expect(value, JsonValue::Kind::Object, what);
}

Status JsonFile::expectArray(const JsonValue &value,
                             std::string_view what) const {
  return expect(value, JsonValue::Kind::Array, what);
}

StatusOr<std::string> JsonFile::string(const JsonValue &value,
                                       std::string_view what) const {
  GRAPHC_TRY(expect(value, JsonValue::Kind::String, what));
  return value.text;
}

StatusOr<bool> JsonFile::boolean(const JsonValue &value,
                                 std::string_view what) const {
  GRAPHC_TRY(expect(value, JsonValue::Kind::Bool, what));
  return value.text == "true";
}

StatusOr<int64_t> JsonFile::integer(const JsonValue &value,
                                    std::string_view what, int64_t min,
                                    int64_t max) const {
  GRAPHC_TRY(expect(value, JsonValue::Kind::Number, what));
  int64_t number = 0;
  if (llvm::StringRef(value.text).getAsInteger(10, number) || number < min ||
      number > max)
    return error(value.line, std::string(what) +
                                 " must be a whole number "
                                 "from " +
                                 std::to_string(min) + " to " +
                                 std::to_string(max) + ", but is " +
                                 value.text);
  return number;
}

Status JsonFile::onlyKeys(const JsonValue &object, std::string_view what,
                          const std::vector<std::string> &keys) const {
  for (const JsonValue::Member &member : object.members)
    if (std::find(keys.begin(), keys.end(), member.key) == keys.end())
      return error(member.line,
                   runtime::unknownName(what, "key", member.key, keys));
  return Status::ok();
}

StatusOr<const JsonValue *> JsonFile::member(const JsonValue &object,
                                             std::string_view what,
                                             std::string_view key) const {
  if (const JsonValue *value = object.find(key))
    return value;
  return error(object.line, std::string(what) + " has no '" + std::string(key) +
                                "'; add it");
}

} // namespace graphc
