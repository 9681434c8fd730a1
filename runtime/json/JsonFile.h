// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON whose values know their lines, for texts that users write: what is wrong
// with the meaning of a value is reported at its line, too. nlohmann-json
// parses.
#ifndef GRAPHC_RUNTIME_JSON_JSONFILE_H
#define GRAPHC_RUNTIME_JSON_JSONFILE_H

#include "runtime/base/Status.h"
#include "runtime/base/TextFile.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphc::runtime {

/// One value. Accessors do not convert: see JsonFile for checked access.
struct JsonValue {
  enum class Kind { Null, Bool, Number, String, Array, Object };

  struct Member;

  Kind kind = Kind::Null;
  int line = 1;                    ///< of its first character, from 1
  std::string field;               ///< "cluster.ps[1]"; empty: the whole
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

/// "a list '[...]'".
const char *jsonKindName(JsonValue::Kind kind);

/// Limits of a text: more is no text of a user.
struct JsonLimits {
  size_t bytes = SIZE_MAX;
  size_t depth = 64;
  size_t children = SIZE_MAX; ///< of one list or object
};

/// A parsed file and the ways to take its values apart. Every failure is
/// INVALID_ARGUMENT and starts with "path:line: ". Thread-safety: const after
/// parse().
class JsonFile {
public:
  /// RFC 8259, UTF-8, no key twice in an object.
  static StatusOr<JsonFile> parse(const TextFile &file,
                                  const JsonLimits &limits = {});

  const JsonValue &root() const { return value; }

  /// "path:line: message".
  Status error(int line, std::string_view message) const;
  /// "path:line: 'field' problem", of the value or of a member's key.
  Status error(const JsonValue &value, std::string_view problem) const;
  /// "path:line".
  std::string place(int line) const;

  /// The checks name the value as `what`: "'cluster' must be an object, ...".
  Status expectObject(const JsonValue &value, std::string_view what) const;
  Status expectArray(const JsonValue &value, std::string_view what) const;
  StatusOr<std::string> string(const JsonValue &value,
                               std::string_view what) const;
  StatusOr<bool> boolean(const JsonValue &value, std::string_view what) const;
  /// A whole number from `min` to `max`.
  StatusOr<int64_t> integer(const JsonValue &value, std::string_view what,
                            int64_t min, int64_t max) const;

  /// The object has no other keys than these; otherwise suggests which one was
  /// probably meant.
  Status onlyKeys(const JsonValue &object, std::string_view what,
                  const std::vector<std::string> &keys) const;
  /// The member, which must be there.
  StatusOr<const JsonValue *> member(const JsonValue &object,
                                     std::string_view what,
                                     std::string_view key) const;

private:
  Status expect(const JsonValue &value, JsonValue::Kind kind,
                std::string_view what) const;

  std::string path;
  JsonValue value;
};

} // namespace graphc::runtime

#endif
