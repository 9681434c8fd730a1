// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/Manifest.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace graphc::runtime {

namespace {

using Json = nlohmann::json;

constexpr const char *kFormat = "graphc-checkpoint";
constexpr int kVersion = 1;

std::string hexOf(const TensorDigest &digest) {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx",
                static_cast<unsigned long long>(digest[1]),
                static_cast<unsigned long long>(digest[0]));
  return text;
}

bool readHex(const Json &json, TensorDigest &digest) {
  if (!json.is_string())
    return false;
  const std::string &text = json.get_ref<const std::string &>();
  if (text.size() != 32 ||
      text.find_first_not_of("0123456789abcdef") != std::string::npos)
    return false;
  digest = {std::stoull(text.substr(16), nullptr, 16),
            std::stoull(text.substr(0, 16), nullptr, 16)};
  return true;
}

/// Of the document without its member "digest".
std::string selfDigest(const Json &json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return hexOf(digestOf(std::as_bytes(std::span(text))));
}

bool readNumber(const Json &json, const char *key, uint64_t &value) {
  auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned())
    return false;
  value = found->get<uint64_t>();
  return value <= INT64_MAX;
}

bool readText(const Json &json, const char *key, std::string &value) {
  auto found = json.find(key);
  if (found == json.end() || !found->is_string())
    return false;
  value = found->get<std::string>();
  return true;
}

/// A name in the folder, not a way out of it.
bool isPlainName(const std::string &name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string::npos;
}

bool readShard(const Json &json, CheckpointManifest::Shard &shard) {
  if (!json.is_object() || !readText(json, "file", shard.file) ||
      !isPlainName(shard.file) || !readText(json, "owner", shard.owner) ||
      !readNumber(json, "size", shard.size) || !json.contains("header") ||
      !readHex(json["header"], shard.header) || !json.contains("tensors") ||
      !json["tensors"].is_object())
    return false;
  for (const auto &[name, digest] : json["tensors"].items())
    if (!readHex(digest, shard.tensors[name]))
      return false;
  return true;
}

bool readManifest(const Json &json, CheckpointManifest &manifest) {
  if (!readText(json, "graph", manifest.graph) ||
      !readNumber(json, "step", manifest.step) ||
      !readText(json, "plan", manifest.plan) || !json.contains("seed") ||
      !json["seed"].is_number_unsigned() || !json.contains("metrics") ||
      !json["metrics"].is_object() || !json.contains("texts") ||
      !json["texts"].is_object() || !json.contains("shards") ||
      !json["shards"].is_array())
    return false;
  manifest.seed = json["seed"].get<uint64_t>();
  for (const auto &[name, value] : json["metrics"].items()) {
    if (!value.is_number())
      return false;
    manifest.metrics[name] = value.get<double>();
  }
  for (const auto &[name, value] : json["texts"].items()) {
    if (!value.is_string())
      return false;
    manifest.texts[name] = value.get<std::string>();
  }
  for (const Json &value : json["shards"])
    if (!readShard(value, manifest.shards.emplace_back()))
      return false;
  return true;
}

} // namespace

std::string printManifest(const CheckpointManifest &manifest) {
  Json json = {{"format", kFormat},       {"version", kVersion},
               {"graph", manifest.graph}, {"step", manifest.step},
               {"plan", manifest.plan},   {"seed", manifest.seed},
               {"texts", manifest.texts}, {"metrics", Json::object()},
               {"shards", Json::array()}};
  for (const auto &[name, value] : manifest.metrics)
    if (std::isfinite(value))
      json["metrics"][name] = value;
  for (const CheckpointManifest::Shard &shard : manifest.shards) {
    Json tensors = Json::object();
    for (const auto &[name, digest] : shard.tensors)
      tensors[name] = hexOf(digest);
    json["shards"].push_back({{"file", shard.file},
                              {"owner", shard.owner},
                              {"size", shard.size},
                              {"header", hexOf(shard.header)},
                              {"tensors", std::move(tensors)}});
  }
  std::string digest = selfDigest(json);
  json["digest"] = digest;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

StatusOr<CheckpointManifest> parseManifest(const std::string &text,
                                           const std::string &path) {
  Status damaged = dataLoss("'" + path +
                            "' is damaged; copy the checkpoint again or use "
                            "another one");
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("format", Json()) != kFormat)
    return damaged;
  Json digest = json.value("digest", Json());
  json.erase("digest");
  if (digest != selfDigest(json))
    return damaged;
  if (json.value("version", Json()) != kVersion)
    return invalidArgument("'" + path +
                           "' was written by a later version of graphc; use "
                           "that version or a later one");
  CheckpointManifest manifest;
  if (!readManifest(json, manifest))
    return damaged;
  return manifest;
}

} // namespace graphc::runtime
