// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/Feeds.h"

#include "runtime/base/Half.h"
#include "runtime/data/Npy.h"
#include "runtime/state/GraphPorts.h"

#include <charconv>
#include <filesystem>
#include <string_view>

namespace graphc::run {

namespace {

using namespace runtime;

std::vector<std::string_view> splitCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos)
      return parts;
    text.remove_prefix(comma + 1);
  }
}

bool parseNumber(std::string_view text, bool &value) {
  value = text == "true" || text == "1";
  return value || text == "false" || text == "0";
}

template <typename T> bool parseNumber(std::string_view text, T &value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Writes the numbers in `texts` to the tensor; the text that is none of its
/// type, or an empty one.
template <typename T>
std::string_view parseAll(const std::vector<std::string_view> &texts,
                          HostTensor &tensor) {
  for (size_t i = 0; i < texts.size(); ++i) {
    T value{};
    if (!parseNumber(texts[i], value))
      return texts[i].empty() ? std::string_view(",") : texts[i];
    std::memcpy(tensor.bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return {};
}

/// The same for floats of 16 bits, which are rounded from f32.
std::string_view parseHalves(const std::vector<std::string_view> &texts,
                             HostTensor &tensor) {
  for (size_t i = 0; i < texts.size(); ++i) {
    float value = 0;
    if (!parseNumber(texts[i], value))
      return texts[i].empty() ? std::string_view(",") : texts[i];
    uint16_t bits = halfOfFloat(tensor.type.dtype, value);
    std::memcpy(tensor.bytes.data() + i * sizeof(bits), &bits, sizeof(bits));
  }
  return {};
}

std::string_view parseElements(const std::vector<std::string_view> &texts,
                               HostTensor &tensor) {
  switch (tensor.type.dtype) {
  case DType::Bool:
    return parseAll<bool>(texts, tensor);
  case DType::UInt8:
    return parseAll<uint8_t>(texts, tensor);
  case DType::Int32:
    return parseAll<int32_t>(texts, tensor);
  case DType::Int64:
    return parseAll<int64_t>(texts, tensor);
  case DType::Int8:
    return parseAll<int8_t>(texts, tensor);
  case DType::Int16:
    return parseAll<int16_t>(texts, tensor);
  case DType::UInt16:
    return parseAll<uint16_t>(texts, tensor);
  case DType::UInt32:
    return parseAll<uint32_t>(texts, tensor);
  case DType::UInt64:
    return parseAll<uint64_t>(texts, tensor);
  case DType::Float32:
    return parseAll<float>(texts, tensor);
  case DType::Float64:
    return parseAll<double>(texts, tensor);
  case DType::Float16:
  case DType::BFloat16:
    return parseHalves(texts, tensor);
  case DType::String:
    break;
  }
  return texts.front();
}

/// True when a text is meant as numbers: its first value reads as one.
bool looksNumeric(std::string_view text) {
  double number = 0;
  bool truth = false;
  std::string_view first = splitCommas(text).front();
  return parseNumber(first, number) || parseNumber(first, truth);
}

StatusOr<HostTensor> readLiteral(const TensorType &type,
                                 const std::string &text) {
  std::vector<std::string_view> texts = splitCommas(text);
  if (static_cast<int64_t>(texts.size()) != type.numElements())
    return invalidArgument("it takes the " +
                           std::to_string(type.numElements()) +
                           " elements of " + type.toString() + ", but '" +
                           text + "' has " + std::to_string(texts.size()));
  HostTensor tensor{type, std::vector<std::byte>(type.numBytes())};
  std::string_view wrong = parseElements(texts, tensor);
  if (!wrong.empty())
    return invalidArgument("'" + std::string(wrong) + "' is not a " +
                           dtypeName(type.dtype));
  return tensor;
}

StatusOr<HostTensor> readValue(const TensorType &type,
                               const std::string &text) {
  std::error_code error;
  if (std::filesystem::exists(text, error))
    return loadNpy(text);
  if (looksNumeric(text))
    return readLiteral(type, text);
  return notFound("there is no file '" + text +
                  "', and it is no number; give a .npy file or numbers "
                  "between commas");
}

} // namespace

StatusOr<std::vector<NamedTensor>>
readFeeds(const format::Graph &graph, const std::vector<NamedText> &feeds) {
  std::vector<NamedTensor> values;
  for (const NamedText &feed : feeds) {
    GRAPHC_ASSIGN_OR_RETURN(const format::Port *port,
                            findFeed(graph, feed.name));
    StatusOr<HostTensor> value =
        readValue(toTensorType(*port->type()), feed.text);
    GRAPHC_TRY(value.status().annotate("feed '" + feed.name + "'"));
    values.push_back({feed.name, std::move(value).value()});
  }
  return values;
}

} // namespace graphc::run
