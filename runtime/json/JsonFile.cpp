// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes the values of a parsed file apart.
#include "runtime/json/JsonFile.h"

#include "runtime/base/Suggest.h"
#include "runtime/base/Texts.h"

#include <algorithm>
#include <charconv>

namespace graphc::runtime {

const char *jsonKindName(JsonValue::Kind kind) {
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

const JsonValue *JsonValue::find(std::string_view key) const {
  for (const Member &member : members)
    if (member.key == key)
      return &member.value;
  return nullptr;
}

std::string JsonFile::place(int line) const {
  return path + ":" + std::to_string(line);
}

Status JsonFile::error(int line, std::string_view message) const {
  return invalidArgument(place(line) + ": " + std::string(message));
}

Status JsonFile::error(const JsonValue &value, std::string_view problem) const {
  return error(value.line,
               (value.field.empty() ? "" : quote(value.field) + " ") +
                   std::string(problem));
}

Status JsonFile::expect(const JsonValue &value, JsonValue::Kind kind,
                        std::string_view what) const {
  if (value.kind == kind)
    return Status::ok();
  return error(value.line, std::string(what) + " must be " +
                               jsonKindName(kind) + ", but is " +
                               jsonKindName(value.kind));
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
  const char *last = value.text.data() + value.text.size();
  auto [end, failure] = std::from_chars(value.text.data(), last, number);
  if (failure != std::errc() || end != last || number < min || number > max)
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
      return error(member.line, unknownName(what, "key", member.key, keys));
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

} // namespace graphc::runtime
