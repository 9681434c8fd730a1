// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON whose values know their lines, for files that users write: what is wrong
// with the meaning of a value is reported at its line, too.
#ifndef GRAPHC_LIB_PLACEMENT_JSON_H
#define GRAPHC_LIB_PLACEMENT_JSON_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphc {

/// The content of a file that the user named.
struct TextFile {
  std::string path;
  std::string text;
};

/// One value. Accessors do not convert: see JsonFile for checked access.
struct JsonValue {
  enum class Kind { Null, Bool, Number, String, Array, Object };

  struct Member;

  Kind kind = Kind::Null;
  int line = 1;                    ///< of its first character, from 1
  std::string text;                ///< of a string, number, true or false
  std::vector<JsonValue> elements; ///< of an array
  std::vector<Member> members;     ///< of an object, in the file's order

  /// The member of an object with that key, or null.
  const JsonValue *find(std::string_view key) const;
};

struct JsonValue::Member {
  std::string key;
  int line = 1; ///< of the key
  JsonValue value;
};

/// A parsed file and the ways to take its values apart. Every failure is
/// InvalidArgument and starts with "path:line: ".
class JsonFile {
public:
  /// RFC 8259, UTF-8, at most 64 levels deep, no key twice in an object.
  static runtime::StatusOr<JsonFile> parse(const TextFile &file);

  const JsonValue &root() const { return value; }

  /// "path:line: message".
  runtime::Status error(int line, std::string_view message) const;
  /// "path:line".
  std::string place(int line) const;

  /// The checks name the value as `what`: "'cluster' must be an object, ...".
  runtime::Status expectObject(const JsonValue &value,
                               std::string_view what) const;
  runtime::Status expectArray(const JsonValue &value,
                              std::string_view what) const;
  runtime::StatusOr<std::string> string(const JsonValue &value,
                                        std::string_view what) const;
  runtime::StatusOr<bool> boolean(const JsonValue &value,
                                  std::string_view what) const;
  /// A whole number from `min` to `max`.
  runtime::StatusOr<int64_t> integer(const JsonValue &value,
                                     std::string_view what, int64_t min,
                                     int64_t max) const;

  /// The object has no other keys than these; otherwise says which one was
  /// probably meant.
  runtime::Status onlyKeys(const JsonValue &object, std::string_view what,
                           const std::vector<std::string> &keys) const;
  /// The member, which must be there.
  runtime::StatusOr<const JsonValue *> member(const JsonValue &object,
                                              std::string_view what,
                                              std::string_view key) const;

private:
  runtime::Status expect(const JsonValue &value, JsonValue::Kind kind,
                         std::string_view what) const;

  std::string path;
  JsonValue value;
};

} // namespace graphc

#endif
