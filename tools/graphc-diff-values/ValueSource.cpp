// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-diff-values/ValueSource.h"

#include "runtime/base/Texts.h"
#include "runtime/checkpoint/CheckpointFolder.h"
#include "runtime/data/Npy.h"
#include "runtime/inspect/DumpFolder.h"

#include <algorithm>
#include <filesystem>

namespace graphc::diffvalues {

using namespace runtime;

namespace {

/// The .npy files of a folder, sorted by name.
std::vector<std::filesystem::path> arrayFiles(const std::string &folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end;
       !error && at != end; at.increment(error))
    if (at->path().extension() == ".npy")
      files.push_back(at->path());
  std::sort(files.begin(), files.end());
  return files;
}

StatusOr<std::vector<NamedTensor>> readArrays(const std::string &folder) {
  std::vector<NamedTensor> values;
  for (const std::filesystem::path &file : arrayFiles(folder)) {
    GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, loadNpy(file.string()));
    values.push_back({file.stem().string(), std::move(tensor)});
  }
  return values;
}

} // namespace

StatusOr<ValueSource> ValueSource::open(const std::string &path) {
  ValueSource source;
  source.place = path;
  source.list = {{0, path}};
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return notFound("there is no " + quote(path) +
                    "; give a folder of --dump-dir or --out, a .npz or .npy "
                    "file, or a checkpoint");
  if (!std::filesystem::is_directory(path, error)) {
    if (path.ends_with(".npz"))
      source.kind = Kind::Npz;
    else if (path.ends_with(".npy"))
      source.kind = Kind::Npy;
    return source;
  }
  if (std::vector<DumpFile> dumps = listDumps(path); !dumps.empty()) {
    source.kind = Kind::Dumps;
    source.list.clear();
    for (const DumpFile &dump : dumps)
      source.list.push_back({dump.step, dump.path});
  } else if (!arrayFiles(path).empty()) {
    source.kind = Kind::Arrays;
  }
  return source;
}

StatusOr<std::vector<NamedTensor>>
ValueSource::read(const ValueSet &set) const {
  switch (kind) {
  case Kind::Dumps:
  case Kind::Npz:
    return loadNpz(set.path);
  case Kind::Arrays:
    return readArrays(set.path);
  case Kind::Npy: {
    GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, loadNpy(set.path));
    std::vector<NamedTensor> values;
    values.push_back({"array", std::move(tensor)});
    return values;
  }
  case Kind::Checkpoint:
    break;
  }
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TensorReader> reader,
                          openCheckpoint(set.path));
  return readTensors(*reader);
}

} // namespace graphc::diffvalues
