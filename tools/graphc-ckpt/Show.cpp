// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-ckpt show and diff: the tensors of checkpoints.
#include "tools/graphc-ckpt/Commands.h"

#include "runtime/checkpoint/Positions.h"
#include "runtime/inspect/ValueDiff.h"
#include "runtime/inspect/ValueElements.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace graphc::ckpt {

using namespace runtime;

namespace {

void printManifest(const CheckpointManifest &manifest,
                   const std::string &folder) {
  std::printf(
      "graph %s, step %llu, seed %llu, plan %s\n", manifest.graph.c_str(),
      static_cast<unsigned long long>(manifest.step),
      static_cast<unsigned long long>(manifest.seed), manifest.plan.c_str());
  for (const auto &[name, value] : metricsOf(folder))
    std::printf("metric %s = %.9g\n", name.c_str(), value);
  for (const CheckpointManifest::Shard &shard : manifest.shards)
    std::printf("file %s: %llu bytes%s%s\n", shard.file.c_str(),
                static_cast<unsigned long long>(shard.size),
                shard.owner.empty() ? "" : " of ", shard.owner.c_str());
}

Status printPositions(const TensorReader &reader) {
  GRAPHC_ASSIGN_OR_RETURN(std::optional<Positions> positions,
                          readPositions(reader.texts()));
  if (!positions)
    return Status::ok();
  for (const auto &[graph, position] : *positions) {
    std::printf("position of graph %s: step %llu", graph.c_str(),
                static_cast<unsigned long long>(position.step));
    for (const auto &[dataset, data] : position.data)
      std::printf(", batch %llu of dataset %s (%llu examples)",
                  static_cast<unsigned long long>(data.batches),
                  dataset.c_str(),
                  static_cast<unsigned long long>(data.examples));
    std::printf("\n");
  }
  return Status::ok();
}

void printStatistics(const HostTensor &tensor) {
  double least = INFINITY, most = -INFINITY, sum = 0, squares = 0;
  size_t notFinite = 0, count = elementCount(tensor);
  for (size_t i = 0; i < count; ++i) {
    double value = elementOf(tensor, i);
    if (!std::isfinite(value)) {
      ++notFinite;
      continue;
    }
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
    squares += value * value;
  }
  if (count > notFinite)
    std::printf("  min %.6g  max %.6g  mean %.6g  norm %.6g", least, most,
                sum / static_cast<double>(count - notFinite),
                std::sqrt(squares));
  if (notFinite > 0)
    std::printf("  NOT FINITE: %zu of %zu", notFinite, count);
}

/// Prints how two tensors of one type differ; false: not at all.
bool printDifference(const std::string &name, const HostTensor &a,
                     const HostTensor &b, double tolerance) {
  ValueDiff diff = diffValues(a, b, {.absolute = tolerance});
  if (diff.differing == 0)
    return false;
  std::printf("%s: %llu of %llu elements differ, the first is [%llu]: %.9g and "
              "%.9g (%.6g ulps); by most [%llu]: %.9g and %.9g\n",
              name.c_str(), static_cast<unsigned long long>(diff.differing),
              static_cast<unsigned long long>(diff.count),
              static_cast<unsigned long long>(diff.first),
              elementOf(a, diff.first), elementOf(b, diff.first),
              ulpsBetween(a, b, diff.first),
              static_cast<unsigned long long>(diff.worst),
              elementOf(a, diff.worst), elementOf(b, diff.worst));
  return true;
}

} // namespace

StatusOr<int> show(const CkptOptions &options) {
  const std::string &path = options.paths[0];
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TensorReader> reader,
                          openCheckpoint(path));
  if (StatusOr<CheckpointManifest> manifest = readManifest(path);
      manifest.isOk())
    printManifest(*manifest, path);
  GRAPHC_TRY(printPositions(*reader));
  uint64_t elements = 0, bytes = 0;
  for (size_t entry = 0; entry < reader->entries().size(); ++entry) {
    const NamedType &named = reader->entries()[entry];
    uint64_t size = named.type.numBytes();
    bytes += size;
    elements += size / dtypeSize(named.type.dtype);
    std::printf("%s: %s", named.name.c_str(), named.type.toString().c_str());
    if (options.showsValues) {
      GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, readTensor(*reader, entry));
      printStatistics(tensor);
    }
    std::printf("\n");
  }
  std::printf("%zu tensors, %llu elements, %llu bytes\n",
              reader->entries().size(),
              static_cast<unsigned long long>(elements),
              static_cast<unsigned long long>(bytes));
  return 0;
}

StatusOr<int> diff(const CkptOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TensorReader> a,
                          openCheckpoint(options.paths[0]));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TensorReader> b,
                          openCheckpoint(options.paths[1]));
  bool differs = false;
  size_t i = 0, j = 0;
  while (i < a->entries().size() || j < b->entries().size()) {
    bool onlyA = j == b->entries().size() ||
                 (i < a->entries().size() &&
                  a->entries()[i].name < b->entries()[j].name);
    bool onlyB = !onlyA && (i == a->entries().size() ||
                            b->entries()[j].name < a->entries()[i].name);
    const NamedType &named = onlyB ? b->entries()[j] : a->entries()[i];
    if (onlyA || onlyB) {
      std::printf("%s: only in %s\n", named.name.c_str(),
                  options.paths[onlyA ? 0 : 1].c_str());
      differs = true;
    } else if (named.type != b->entries()[j].type) {
      std::printf("%s: %s and %s\n", named.name.c_str(),
                  named.type.toString().c_str(),
                  b->entries()[j].type.toString().c_str());
      differs = true;
    } else {
      GRAPHC_ASSIGN_OR_RETURN(HostTensor x, readTensor(*a, i));
      GRAPHC_ASSIGN_OR_RETURN(HostTensor y, readTensor(*b, j));
      differs |= printDifference(named.name, x, y, options.tolerance);
    }
    i += !onlyB;
    j += !onlyA;
  }
  if (!differs)
    std::printf("no difference\n");
  return differs ? kExitDiffers : 0;
}

} // namespace graphc::ckpt
