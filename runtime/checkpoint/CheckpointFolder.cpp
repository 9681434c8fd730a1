// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/CheckpointFolder.h"

#include "runtime/checkpoint/ShardFile.h"
#include "runtime/data/File.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

namespace graphc::runtime {

namespace {

using Json = nlohmann::json;

constexpr const char *kIndexName = "model.safetensors.index.json";
Status writeText(FileLayer &files, const std::string &path,
                 const std::string &text) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file, files.create(path));
  GRAPHC_TRY(file->write(std::as_bytes(std::span(text))));
  return file->sync();
}

/// As other programs that read sharded safetensors files expect it.
std::string printIndex(const CheckpointManifest &manifest,
                       uint64_t tensorBytes) {
  Json json = {{"metadata", {{"total_size", tensorBytes}}},
               {"weight_map", Json::object()}};
  for (const CheckpointManifest::Shard &shard : manifest.shards)
    for (const auto &[name, digest] : shard.tensors)
      json["weight_map"][name] = shard.file;
  return json.dump(2) + "\n";
}

bool isThere(const std::string &path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::string parentOf(const std::string &path) {
  std::string parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent;
}

/// Shards as one list of tensors.
class FolderReader final : public TensorReader {
public:
  FolderReader(std::string folder, Texts texts)
      : folder(std::move(folder)), words(std::move(texts)) {}

  /// DATA_LOSS for a tensor that two shards have.
  Status add(std::unique_ptr<SafetensorsReader> shard) {
    for (size_t entry = 0; entry < shard->entries().size(); ++entry)
      all.push_back({shard->entries()[entry], shard.get(), entry});
    shards.push_back(std::move(shard));
    return Status::ok();
  }
  Status finish();

  std::string place() const override { return folder; }
  std::span<const NamedType> entries() const override { return types; }
  const Texts &texts() const override { return words; }
  Status read(size_t entry,
              std::span<const std::span<std::byte>> parts) const override {
    return all[entry].shard->read(all[entry].entry, parts);
  }

private:
  struct Place {
    NamedType named;
    const SafetensorsReader *shard;
    size_t entry;
  };

  std::string folder;
  Texts words;
  std::vector<std::unique_ptr<SafetensorsReader>> shards;
  std::vector<Place> all;
  std::vector<NamedType> types; ///< of `all`
};

Status FolderReader::finish() {
  std::sort(all.begin(), all.end(), [](const Place &a, const Place &b) {
    return a.named.name < b.named.name;
  });
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].named.name == all[i - 1].named.name)
      return dataLoss("two files of '" + folder + "' have tensor '" +
                      all[i].named.name +
                      "'; copy the checkpoint again or use another one");
    types.push_back(all[i].named);
  }
  return Status::ok();
}

Status checkShard(const CheckpointManifest::Shard &shard,
                  const SafetensorsReader &reader) {
  std::set<std::string> names;
  for (const NamedType &named : reader.entries())
    names.insert(named.name);
  bool isSame =
      reader.fileSize() == shard.size &&
      digestOf(std::as_bytes(std::span(reader.headerText()))) == shard.header &&
      names.size() == shard.tensors.size();
  for (const auto &[name, digest] : shard.tensors)
    isSame &= names.count(name) == 1;
  return isSame ? Status::ok()
                : dataLoss("'" + reader.place() +
                           "' is not the file that the checkpoint's " +
                           kManifestName +
                           " tells of; copy the checkpoint again or use "
                           "another one");
}

StatusOr<std::unique_ptr<TensorReader>> openOurs(const std::string &folder) {
  GRAPHC_ASSIGN_OR_RETURN(CheckpointManifest manifest, readManifest(folder));
  auto reader = std::make_unique<FolderReader>(folder, manifest.texts);
  for (CheckpointManifest::Shard &shard : manifest.shards) {
    StatusOr<std::unique_ptr<SafetensorsReader>> file =
        SafetensorsReader::open(folder + "/" + shard.file);
    // A file that the manifest names and that is not there is lost.
    if (file.status().code() == StatusCode::NotFound)
      return dataLoss(file.status().message());
    GRAPHC_TRY(file.status());
    GRAPHC_TRY(checkShard(shard, **file));
    (*file)->expect(std::move(shard.tensors));
    GRAPHC_TRY(reader->add(std::move(*file)));
  }
  GRAPHC_TRY(reader->finish());
  return std::unique_ptr<TensorReader>(std::move(reader));
}

/// Of another program: its index tells the files.
StatusOr<std::unique_ptr<TensorReader>> openForeign(const std::string &folder) {
  std::string path = folder + "/" + kIndexName;
  if (!isThere(path))
    return notFound("'" + folder + "' is no checkpoint: it has neither " +
                    kManifestName + " nor " + kIndexName +
                    "; name a folder such as DIR/checkpoint-1000, or a "
                    "safetensors file");
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readFileBytes(path));
  const char *text = reinterpret_cast<const char *>(bytes.data());
  Json json = Json::parse(text, text + bytes.size(), nullptr,
                          /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("weight_map") ||
      !json["weight_map"].is_object())
    return dataLoss("'" + path +
                    "' has no weight_map; copy the checkpoint again");
  std::set<std::string> files;
  for (const auto &[name, file] : json["weight_map"].items())
    if (!file.is_string() ||
        file.get_ref<const std::string &>().find('/') != std::string::npos)
      return dataLoss("'" + path + "' names no file for tensor '" + name +
                      "'; copy the checkpoint again");
    else
      files.insert(file.get<std::string>());
  auto reader = std::make_unique<FolderReader>(folder, TensorReader::Texts());
  for (const std::string &file : files) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<SafetensorsReader> shard,
                            SafetensorsReader::open(folder + "/" + file));
    GRAPHC_TRY(reader->add(std::move(shard)));
  }
  GRAPHC_TRY(reader->finish());
  return std::unique_ptr<TensorReader>(std::move(reader));
}

} // namespace

namespace {

/// Adds to the shards what belongs to them, and gives them the name:
/// `temporary` becomes `folder`.
Status publish(FileLayer &files, const std::string &temporary,
               const std::string &folder, const CheckpointManifest &manifest,
               uint64_t tensorBytes) {
  GRAPHC_TRY(writeText(files, temporary + "/" + kIndexName,
                       printIndex(manifest, tensorBytes)));
  GRAPHC_TRY(writeText(files, temporary + "/" + kManifestName,
                       printManifest(manifest)));
  GRAPHC_TRY(files.syncDirectory(temporary));
  std::string old = folder + ".old";
  bool replaces = isThere(folder);
  if (replaces) {
    GRAPHC_TRY(files.removeTree(old));
    GRAPHC_TRY(files.rename(folder, old));
  }
  GRAPHC_TRY(files.rename(temporary, folder));
  GRAPHC_TRY(files.syncDirectory(parentOf(folder)));
  return replaces ? files.removeTree(old) : Status::ok();
}

} // namespace

Status writeCheckpoint(FileLayer &files, const std::string &folder,
                       std::span<const OwnedTensor> tensors,
                       CheckpointManifest manifest) {
  std::map<std::string, std::vector<const NamedTensor *>> byOwner;
  uint64_t bytes = 0;
  for (const OwnedTensor &owned : tensors) {
    byOwner[owned.owner].push_back(owned.tensor);
    bytes += owned.tensor->tensor.bytes.size();
  }
  std::string temporary = folder + ".tmp";
  GRAPHC_TRY(files.removeTree(temporary));
  GRAPHC_TRY(files.makeDirectory(temporary));
  manifest.shards.clear();
  for (auto &[owner, own] : byOwner) {
    std::string file = shardName(manifest.shards.size() + 1, byOwner.size());
    GRAPHC_ASSIGN_OR_RETURN(
        CheckpointManifest::Shard shard,
        writeShard(files, temporary + "/" + file, std::move(own)));
    shard.owner = owner;
    shard.file = std::move(file);
    manifest.shards.push_back(std::move(shard));
  }
  return publish(files, temporary, folder, manifest, bytes);
}

Status publishCheckpoint(FileLayer &files, const std::string &temporary,
                         const std::string &folder,
                         const CheckpointManifest &manifest,
                         uint64_t tensorBytes) {
  for (const CheckpointManifest::Shard &shard : manifest.shards) {
    GRAPHC_ASSIGN_OR_RETURN(
        std::unique_ptr<SafetensorsReader> reader,
        SafetensorsReader::open(temporary + "/" + shard.file));
    GRAPHC_TRY(checkShard(shard, *reader));
  }
  return publish(files, temporary, folder, manifest, tensorBytes);
}

StatusOr<CheckpointManifest> readManifest(const std::string &folder) {
  std::string path = folder + "/" + kManifestName;
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readFileBytes(path));
  return parseManifest(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()}, path);
}

StatusOr<std::unique_ptr<TensorReader>>
openCheckpoint(const std::string &path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<SafetensorsReader> file,
                            SafetensorsReader::open(path));
    return std::unique_ptr<TensorReader>(std::move(file));
  }
  return isThere(path + "/" + kManifestName) ? openOurs(path)
                                             : openForeign(path);
}

} // namespace graphc::runtime
