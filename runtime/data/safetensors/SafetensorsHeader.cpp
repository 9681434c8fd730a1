// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/safetensors/SafetensorsHeader.h"

#include "runtime/data/TypeCheck.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace graphc::runtime {

namespace {

using Json = nlohmann::json;

// The limit of the public reader; a header is small beside its tensors.
constexpr uint64_t kMaxHeader = 100'000'000;
constexpr const char *kMetadataKey = "__metadata__";

struct FormatType {
  const char *name;
  DType dtype;
};
constexpr FormatType kTypes[] = {
    {"BOOL", DType::Bool},   {"U8", DType::UInt8},      {"I32", DType::Int32},
    {"I64", DType::Int64},   {"F32", DType::Float32},   {"F64", DType::Float64},
    {"F16", DType::Float16}, {"BF16", DType::BFloat16}, {"I8", DType::Int8},
    {"I16", DType::Int16},   {"U16", DType::UInt16},    {"U32", DType::UInt32},
    {"U64", DType::UInt64},
};

//===--- Writing ----------------------------------------------------------===//

Status checkTensors(const std::string &path,
                    std::span<const NamedTensor *const> tensors) {
  std::set<std::string_view> names{kMetadataKey};
  for (const NamedTensor *named : tensors) {
    const auto &[name, tensor] = *named;
    std::string place = "cannot write '" + name + "' to '" + path + "': ";
    if (tensor.type.dtype == DType::String)
      return invalidArgument(place + "a safetensors file holds no strings");
    if (!names.insert(name).second)
      return invalidArgument(place +
                             (name == kMetadataKey
                                  ? "the format keeps this name"
                                  : "the name is used twice") +
                             "; rename it");
    if (checkedNumBytes(tensor.type) !=
        static_cast<int64_t>(tensor.bytes.size()))
      return internalError(place + std::to_string(tensor.bytes.size()) +
                           " bytes are given for " + tensor.type.toString());
  }
  return Status::ok();
}

//===--- Reading ----------------------------------------------------------===//

/// Verifies a header. Errors name the file and, where there is one, the tensor.
class HeaderReader {
public:
  HeaderReader(const std::string &path, uint64_t dataSize)
      : path(path), dataSize(dataSize) {}

  StatusOr<std::vector<SafetensorsEntry>>
  read(std::string_view text, SafetensorsMetadata &metadata) const;

private:
  StatusOr<Json> parse(std::string_view text) const;
  Status readMetadata(const Json &json, SafetensorsMetadata &metadata) const;
  StatusOr<SafetensorsEntry> readEntry(const std::string &name,
                                       const Json &json) const;
  Status readShape(const Json &json, SafetensorsEntry &entry) const;
  Status checkExtents(std::vector<SafetensorsEntry> entries) const;

  Status damaged(const std::string &reason) const {
    return dataLoss("'" + path + "' is not a safetensors file, or damaged: " +
                    reason + "; copy it again or use another checkpoint");
  }
  Status damaged(const std::string &name, const std::string &reason) const {
    return damaged("tensor '" + name.substr(0, 200) + "' " + reason);
  }

  const std::string &path;
  uint64_t dataSize;
};

StatusOr<Json> HeaderReader::parse(std::string_view text) const {
  // The parser would keep the last of two equal keys.
  std::vector<std::set<std::string>> keys;
  bool twice = false;
  auto watch = [&](int, Json::parse_event_t event, Json &value) {
    if (event == Json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == Json::parse_event_t::key)
      twice |= !keys.back().insert(value.get_ref<const std::string &>()).second;
    return true;
  };
  Json json = Json::parse(text.begin(), text.end(), watch,
                          /*allow_exceptions=*/false);
  if (!json.is_object())
    return damaged("its header is not a JSON object");
  if (twice)
    return damaged("its header has a key twice");
  return json;
}

Status HeaderReader::readMetadata(const Json &json,
                                  SafetensorsMetadata &metadata) const {
  if (!json.is_object())
    return damaged("its metadata is not a JSON object");
  for (const auto &[key, value] : json.items()) {
    if (!value.is_string())
      return damaged("its metadata holds something other than texts");
    metadata[key] = value.get_ref<const std::string &>();
  }
  return Status::ok();
}

Status HeaderReader::readShape(const Json &json,
                               SafetensorsEntry &entry) const {
  if (!json.is_array())
    return damaged(entry.name, "has no shape");
  for (const Json &dim : json) {
    if (!dim.is_number_unsigned() || dim.get<uint64_t>() > INT64_MAX)
      return damaged(entry.name, "has a dimension that is no number");
    entry.type.shape.push_back(dim.get<int64_t>());
  }
  return Status::ok();
}

StatusOr<SafetensorsEntry> HeaderReader::readEntry(const std::string &name,
                                                   const Json &json) const {
  if (!json.is_object() || json.size() != 3 || !json.contains("dtype") ||
      !json.contains("shape") || !json.contains("data_offsets"))
    return damaged(name, "lacks one of dtype, shape and data_offsets");
  SafetensorsEntry entry{name, {}, 0, 0};
  const Json &dtype = json["dtype"], &offsets = json["data_offsets"];
  auto known =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [&](const FormatType &type) { return dtype == type.name; });
  if (known == std::end(kTypes)) {
    if (!dtype.is_string())
      return damaged(name, "has a dtype that is no text");
    return invalidArgument("tensor '" + name + "' of '" + path +
                           "' has elements of type " +
                           dtype.get<std::string>().substr(0, 20) +
                           ", which graphc does not read; convert it to BOOL, "
                           "I8 to I64, U8 to U64, "
                           "F16, BF16, F32 or F64");
  }
  entry.type.dtype = known->dtype;
  GRAPHC_TRY(readShape(json["shape"], entry));
  if (!offsets.is_array() || offsets.size() != 2 ||
      !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned())
    return damaged(name, "has no pair of data_offsets");
  entry.begin = offsets[0].get<uint64_t>();
  entry.end = offsets[1].get<uint64_t>();
  if (entry.begin > entry.end || entry.end > dataSize)
    return damaged(name, "reaches to byte " + std::to_string(entry.end) +
                             " of " + std::to_string(dataSize));
  std::optional<int64_t> size = checkedNumBytes(entry.type);
  if (!size || static_cast<uint64_t>(*size) != entry.end - entry.begin)
    return damaged(name, "has " + std::to_string(entry.end - entry.begin) +
                             " bytes, which is not what " +
                             entry.type.toString() + " takes");
  return entry;
}

Status HeaderReader::checkExtents(std::vector<SafetensorsEntry> entries) const {
  std::sort(entries.begin(), entries.end(),
            [](const SafetensorsEntry &a, const SafetensorsEntry &b) {
              return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
            });
  uint64_t end = 0;
  for (const SafetensorsEntry &entry : entries) {
    if (entry.begin != end)
      return damaged(entry.name, entry.begin < end
                                     ? "overlaps another"
                                     : "leaves bytes before it unused");
    end = entry.end;
  }
  if (end != dataSize)
    return damaged("its tensors end at byte " + std::to_string(end) + " of " +
                   std::to_string(dataSize));
  return Status::ok();
}

StatusOr<std::vector<SafetensorsEntry>>
HeaderReader::read(std::string_view text, SafetensorsMetadata &metadata) const {
  GRAPHC_ASSIGN_OR_RETURN(Json json, parse(text));
  std::vector<SafetensorsEntry> entries;
  for (const auto &[name, value] : json.items()) {
    if (name == kMetadataKey) {
      GRAPHC_TRY(readMetadata(value, metadata));
      continue;
    }
    GRAPHC_ASSIGN_OR_RETURN(SafetensorsEntry entry, readEntry(name, value));
    entries.push_back(std::move(entry));
  }
  GRAPHC_TRY(checkExtents(entries));
  return entries;
}

/// Reads the 8 bytes at the start and the text that they measure.
StatusOr<std::string> readHeaderText(const InputFile &file,
                                     const std::string &path) {
  Status bad = dataLoss("'" + path +
                        "' is not a safetensors file, or damaged: its first 8 "
                        "bytes do not give the size of a header in it; copy it "
                        "again or use another checkpoint");
  uint64_t size = 0;
  if (file.size() < sizeof(size))
    return bad;
  GRAPHC_TRY(file.readAt(0, std::as_writable_bytes(std::span(&size, 1))));
  if (size > file.size() - sizeof(size) || size > kMaxHeader)
    return bad;
  std::string text(size, ' ');
  GRAPHC_TRY(
      file.readAt(sizeof(size), std::as_writable_bytes(std::span<char>(text))));
  return text;
}

} // namespace

std::vector<const NamedTensor *>
safetensorsOrder(std::span<const NamedTensor *const> tensors) {
  std::vector<const NamedTensor *> order(tensors.begin(), tensors.end());
  auto rank = [](const NamedTensor *named) {
    return std::tuple<size_t, std::string_view>(
        8 - dtypeSize(named->tensor.type.dtype), named->name);
  };
  std::sort(order.begin(), order.end(),
            [&](const NamedTensor *a, const NamedTensor *b) {
              return rank(a) < rank(b);
            });
  return order;
}

StatusOr<std::string>
makeSafetensorsHeader(const std::string &path,
                      std::span<const NamedTensor *const> order,
                      const SafetensorsMetadata &metadata) {
  GRAPHC_TRY(checkTensors(path, order));
  Json json = Json::object(); // sorts its keys
  if (!metadata.empty())
    json[kMetadataKey] = metadata;
  size_t offset = 0;
  for (const NamedTensor *named : order) {
    const TensorType &type = named->tensor.type;
    size_t end = offset + named->tensor.bytes.size();
    const FormatType *known = std::find_if(
        std::begin(kTypes), std::end(kTypes),
        [&](const FormatType &each) { return each.dtype == type.dtype; });
    json[named->name] = {{"dtype", known->name},
                         {"shape", type.shape},
                         {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text;
  try {
    text = json.dump();
  } catch (const Json::exception &) {
    return invalidArgument("cannot write '" + path +
                           "': a name or text is not UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

StatusOr<SafetensorsHeader> readSafetensorsHeader(const InputFile &file,
                                                  const std::string &path) {
  SafetensorsHeader header;
  GRAPHC_ASSIGN_OR_RETURN(header.text, readHeaderText(file, path));
  header.dataStart = sizeof(uint64_t) + header.text.size();
  HeaderReader reader(path, file.size() - header.dataStart);
  GRAPHC_ASSIGN_OR_RETURN(header.entries,
                          reader.read(header.text, header.metadata));
  return header;
}

} // namespace graphc::runtime
