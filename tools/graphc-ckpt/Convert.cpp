// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-ckpt convert and average: other forms of checkpoints.
#include "tools/graphc-ckpt/Commands.h"

#include "runtime/checkpoint/Positions.h"
#include "runtime/checkpoint/Safetensors.h"
#include "runtime/data/Npy.h"
#include "runtime/inspect/ValueElements.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <tuple>

namespace graphc::ckpt {

using namespace runtime;

namespace {

/// Shards of about the same size: each tensor, the largest first, goes to the
/// smallest one.
std::vector<OwnedTensor> divide(std::span<const NamedTensor> tensors,
                                int64_t shards) {
  std::vector<OwnedTensor> owned;
  for (const NamedTensor &named : tensors)
    owned.push_back({&named, ""});
  auto rank = [](const OwnedTensor &owned) {
    return std::tuple<int64_t, std::string_view>(
        -static_cast<int64_t>(owned.tensor->tensor.bytes.size()),
        owned.tensor->name);
  };
  std::sort(owned.begin(), owned.end(),
            [&](const OwnedTensor &a, const OwnedTensor &b) {
              return rank(a) < rank(b);
            });
  std::vector<uint64_t> sizes(static_cast<size_t>(shards));
  for (OwnedTensor &tensor : owned) {
    auto least = std::min_element(sizes.begin(), sizes.end());
    *least += tensor.tensor->tensor.bytes.size() + 1;
    char name[32];
    std::snprintf(name, sizeof(name), "shard %05td", least - sizes.begin());
    tensor.owner = shards > 1 ? name : "";
  }
  return owned;
}

CheckpointManifest manifestOf(const TensorReader::Texts &texts) {
  CheckpointManifest manifest;
  manifest.texts = texts;
  StatusOr<std::optional<Positions>> positions = readPositions(texts);
  if (positions.isOk() && *positions && !(*positions)->empty()) {
    // Of the graph that has come farthest: the one that trains.
    auto farthest = std::max_element(
        (*positions)->begin(), (*positions)->end(),
        [](auto &a, auto &b) { return a.second.step < b.second.step; });
    manifest.graph = farthest->first;
    manifest.step = farthest->second.step;
  }
  return manifest;
}

/// Adds what `reader` has to `sums`, which is of the first one's form.
Status addUp(const TensorReader &reader, std::vector<NamedTensor> &tensors,
             std::vector<std::vector<double>> &sums) {
  if (reader.entries().size() != tensors.size())
    return invalidArgument("'" + reader.place() +
                           "' has other tensors than the first checkpoint; "
                           "graphc-ckpt diff lists them");
  for (size_t entry = 0; entry < tensors.size(); ++entry) {
    const NamedType &named = reader.entries()[entry];
    if (named != NamedType{tensors[entry].name, tensors[entry].tensor.type})
      return invalidArgument("'" + reader.place() + "' has '" + named.name +
                             "' of " + named.type.toString() +
                             ", which the first checkpoint has not; "
                             "graphc-ckpt diff lists all");
    GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, readTensor(reader, entry));
    for (size_t i = 0; i < sums[entry].size(); ++i)
      sums[entry][i] += elementOf(tensor, i);
    tensors[entry].tensor = std::move(tensor); // whole numbers: of the last
  }
  return Status::ok();
}

void setMeans(HostTensor &tensor, const std::vector<double> &sums,
              double count) {
  for (size_t i = 0; i < sums.size(); ++i)
    if (isHalf(tensor.type.dtype)) {
      uint16_t bits =
          halfOfFloat(tensor.type.dtype, static_cast<float>(sums[i] / count));
      std::memcpy(tensor.bytes.data() + i * sizeof(bits), &bits, sizeof(bits));
    } else if (tensor.type.dtype == DType::Float32)
      tensor.as<float>()[i] = static_cast<float>(sums[i] / count);
    else
      tensor.as<double>()[i] = sums[i] / count;
}

} // namespace

Status writeTensors(const std::string &output, int64_t shards,
                    std::span<const NamedTensor> tensors,
                    const TensorReader::Texts &texts) {
  std::string ending = std::filesystem::path(output).extension();
  if (ending == ".safetensors")
    return saveSafetensors(output, tensors, texts);
  if (ending == ".npz")
    return saveNpz(output, tensors);
  std::error_code error;
  if (std::filesystem::exists(output, error) &&
      !std::filesystem::exists(output + "/" + kManifestName, error))
    return failedPrecondition("'" + output +
                              "' exists and is no checkpoint, so it is not "
                              "replaced; name another folder, or a file "
                              "NAME.safetensors or NAME.npz");
  return writeCheckpoint(systemFiles(), output, divide(tensors, shards),
                         manifestOf(texts));
}

StatusOr<int> convert(const CkptOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TensorReader> reader,
                          openCheckpoint(options.paths[0]));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> tensors,
                          readTensors(*reader));
  GRAPHC_TRY(
      writeTensors(options.output, options.shards, tensors, reader->texts()));
  return 0;
}

StatusOr<int> average(const CkptOptions &options) {
  std::vector<NamedTensor> tensors;
  std::vector<std::vector<double>> sums;
  TensorReader::Texts texts;
  for (const std::string &path : options.paths) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TensorReader> reader,
                            openCheckpoint(path));
    if (sums.empty())
      for (const NamedType &named : reader->entries()) {
        bool isFloat = named.type.dtype == DType::Float32 ||
                       named.type.dtype == DType::Float64 ||
                       isHalf(named.type.dtype);
        size_t count = named.type.numBytes() / dtypeSize(named.type.dtype);
        tensors.push_back({named.name, {named.type, {}}});
        sums.emplace_back(isFloat ? count : 0);
      }
    GRAPHC_TRY(addUp(*reader, tensors, sums));
    texts = reader->texts();
  }
  for (size_t entry = 0; entry < tensors.size(); ++entry)
    setMeans(tensors[entry].tensor, sums[entry],
             static_cast<double>(options.paths.size()));
  GRAPHC_TRY(writeTensors(options.output, options.shards, tensors, texts));
  return 0;
}

} // namespace graphc::ckpt
