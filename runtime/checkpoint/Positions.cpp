// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/Positions.h"

#include <nlohmann/json.hpp>

namespace graphc::runtime {

namespace {

using Json = nlohmann::json;

constexpr const char *kKey = "graphc.positions";

Status damaged() {
  return dataLoss(
      "the checkpoint's text '" + std::string(kKey) +
      "' is damaged; copy the file again or use another checkpoint");
}

bool readNumber(const Json &json, const char *key, uint64_t &value) {
  auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned())
    return false;
  value = found->get<uint64_t>();
  return value <= INT64_MAX;
}

bool readPosition(const Json &json, GraphPosition &position) {
  if (!json.is_object() || !readNumber(json, "step", position.step))
    return false;
  auto data = json.find("data");
  if (data == json.end())
    return true;
  if (!data->is_object())
    return false;
  for (const auto &[name, value] : data->items()) {
    GraphPosition::Data &entry = position.data[name];
    if (!value.is_object() || !readNumber(value, "batches", entry.batches) ||
        !readNumber(value, "examples", entry.examples))
      return false;
  }
  return true;
}

} // namespace

void writePositions(const Positions &positions, SafetensorsMetadata &metadata) {
  Json json = Json::object();
  for (const auto &[graph, position] : positions) {
    Json &entry = json[graph];
    entry["step"] = position.step;
    for (const auto &[dataset, data] : position.data)
      entry["data"][dataset] = {{"batches", data.batches},
                                {"examples", data.examples}};
  }
  // Names that are not UTF-8 cannot be written by the header either.
  metadata[kKey] = json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

StatusOr<std::optional<Positions>>
readPositions(const SafetensorsMetadata &metadata) {
  auto text = metadata.find(kKey);
  if (text == metadata.end())
    return std::optional<Positions>();
  Json json = Json::parse(text->second, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return damaged();
  Positions positions;
  for (const auto &[graph, value] : json.items())
    if (!readPosition(value, positions[graph]))
      return damaged();
  return std::optional<Positions>(std::move(positions));
}

StatusOr<std::optional<Positions>> positionsOf(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(SafetensorsMetadata metadata,
                          readSafetensorsMetadata(path));
  StatusOr<std::optional<Positions>> positions = readPositions(metadata);
  if (!positions.isOk())
    return positions.status().annotate("'" + path + "'");
  return positions;
}

} // namespace graphc::runtime
