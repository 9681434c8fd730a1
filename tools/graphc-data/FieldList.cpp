// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-data/FieldList.h"

#include <cctype>
#include <charconv>
#include <utility>

namespace graphc::data {

using namespace runtime;

namespace {

constexpr std::pair<std::string_view, DType> kTypes[] = {
    {"bool", DType::Bool}, {"u8", DType::UInt8},    {"i32", DType::Int32},
    {"i64", DType::Int64}, {"f32", DType::Float32}, {"f64", DType::Float64},
};

Status wrong(const std::string &field) {
  return invalidArgument("--fields takes NAME: TYPE[DIMS] between commas, such "
                         "as 'image: u8[28, 28, 1], label: u8' (bool, u8, i32, "
                         "i64, f32, f64), not '" +
                         field + "'");
}

/// "28,28,1" without spaces.
bool parseDims(std::string_view text, std::vector<int64_t> &shape) {
  while (!text.empty()) {
    int64_t size = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0)
      return false;
    shape.push_back(size);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty())
      return true;
    if (text[0] != ',' || text.size() == 1)
      return false;
    text.remove_prefix(1);
  }
  return true;
}

StatusOr<DatasetSpec::Field> parseField(const std::string &text) {
  size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0)
    return wrong(text);
  DatasetSpec::Field field;
  field.name = text.substr(0, colon);
  std::string_view type = std::string_view(text).substr(colon + 1);
  size_t open = type.find('[');
  std::string_view name = type.substr(0, open);
  for (const auto &[known, dtype] : kTypes) {
    if (known != name)
      continue;
    field.type.dtype = dtype;
    if (open == std::string_view::npos)
      return field;
    if (!type.ends_with(']') ||
        !parseDims(type.substr(open + 1, type.size() - open - 2),
                   field.type.shape))
      return wrong(text);
    return field;
  }
  return wrong(text);
}

} // namespace

StatusOr<std::vector<DatasetSpec::Field>> parseFields(const std::string &text) {
  std::vector<DatasetSpec::Field> fields;
  std::string field;
  int depth = 0;
  for (char c : text + ",") {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c != ',' || depth > 0) {
      if (!std::isspace(static_cast<unsigned char>(c)))
        field += c;
      continue;
    }
    GRAPHC_ASSIGN_OR_RETURN(DatasetSpec::Field parsed, parseField(field));
    fields.push_back(std::move(parsed));
    field.clear();
  }
  return fields;
}

} // namespace graphc::data
