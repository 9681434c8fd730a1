// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes tables of which many are the same: programs of towers, of workers and
// of the variants of a plan differ in little.
#ifndef GRAPHC_LIB_TARGET_COMMON_SHAREDTABLES_H
#define GRAPHC_LIB_TARGET_COMMON_SHAREDTABLES_H

#include "runtime/format/model_generated.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace graphc {

/// Equal tables, lists and texts of a FlatBuffer are there once, and named from
/// wherever they are used. Thread-safety: one thread.
class SharedTables {
public:
  template <typename T> using Offset = flatbuffers::Offset<T>;
  template <typename T> using Vector = flatbuffers::Vector<T>;

  explicit SharedTables(flatbuffers::FlatBufferBuilder &builder)
      : builder(builder) {}

  /// format::CreateXyz(every field): a field that is new in the format does not
  /// compile until it is given here, too.
  template <typename T, typename... Fields>
  Offset<T> table(Offset<T> (*create)(flatbuffers::FlatBufferBuilder &,
                                      Fields...),
                  std::type_identity_t<Fields>... fields) {
    std::string key = keyOf(create);
    (appendField(key, fields), ...);
    return once<T>(key, [&] { return create(builder, fields...); });
  }

  template <typename T> Offset<Vector<T>> list(const std::vector<T> &items) {
    // Places of tables are no numbers, though they have the same bytes.
    std::string key = keyOf(sizeof(T));
    appendBytes(key, std::is_arithmetic_v<T>);
    for (const T &item : items)
      appendField(key, item);
    return once<Vector<T>>(key, [&] { return builder.CreateVector(items); });
  }

  template <typename T>
  Offset<Vector<const T *>> structs(const std::vector<T> &items) {
    std::string key = keyOf(sizeof(T));
    key += 's';
    for (const T &item : items)
      appendBytes(key, item);
    return once<Vector<const T *>>(
        key, [&] { return builder.CreateVectorOfStructs(items); });
  }

  Offset<flatbuffers::String> text(llvm::StringRef text) {
    return builder.CreateSharedString(text.data(), text.size());
  }

private:
  template <typename T> static std::string keyOf(const T &start) {
    std::string key;
    appendBytes(key, start);
    return key;
  }
  template <typename T>
  static void appendBytes(std::string &key, const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    key.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  /// A table is known by its place, a struct by its bytes.
  template <typename T>
  static void appendField(std::string &key, const T &field) {
    if constexpr (std::is_pointer_v<T>) {
      appendBytes(key, field != nullptr);
      if (field)
        appendBytes(key, *field);
    } else {
      appendBytes(key, field);
    }
  }
  template <typename T, typename Create>
  Offset<T> once(const std::string &key, Create create) {
    auto known = places.find(key);
    if (known == places.end())
      known = places.emplace(key, create().o).first;
    return Offset<T>(known->second);
  }

  flatbuffers::FlatBufferBuilder &builder;
  std::unordered_map<std::string, flatbuffers::uoffset_t> places;
};

} // namespace graphc

#endif
