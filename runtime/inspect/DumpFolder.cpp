// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspect/DumpFolder.h"

#include "runtime/base/Texts.h"
#include "runtime/data/Npy.h"
#include "runtime/inspect/ValueElements.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace graphc::runtime {

namespace {

constexpr std::string_view kBegin = "step-", kEnd = ".npz";

/// The step of a file's name.
std::optional<uint64_t> stepOf(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd) ||
      name.size() <= kBegin.size() + kEnd.size())
    return std::nullopt;
  name.remove_prefix(kBegin.size());
  name.remove_suffix(kEnd.size());
  uint64_t step = 0;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size())
    return std::nullopt;
  return step;
}

/// The same numbers as f32: arrays of NumPy have no bfloat16.
HostTensor asFloat32(const HostTensor &tensor) {
  HostTensor wide{{DType::Float32, tensor.type.shape}, {}};
  wide.bytes.resize(wide.type.numBytes());
  for (size_t i = 0; i < elementCount(tensor); ++i)
    wide.as<float>()[i] = static_cast<float>(elementOf(tensor, i));
  return wide;
}

} // namespace

Status prepareDumps(const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return permissionDenied("cannot make folder " + quote(folder) + ": " +
                            error.message() + "; name another one");
  if (access(folder.c_str(), W_OK | X_OK) == 0)
    return Status::ok();
  return permissionDenied("cannot write to folder " + quote(folder) + ": " +
                          std::strerror(errno) +
                          "; name a folder that is yours");
}

std::string dumpPath(const std::string &folder, uint64_t step) {
  char name[40];
  std::snprintf(name, sizeof name, "step-%06llu.npz",
                static_cast<unsigned long long>(step));
  return folder + "/" + name;
}

Status writeDump(const std::string &path, std::span<const NamedTensor> values) {
  std::vector<NamedTensor> arrays(values.begin(), values.end());
  for (NamedTensor &array : arrays)
    if (array.tensor.type.dtype == DType::BFloat16)
      array.tensor = asFloat32(array.tensor);
  return saveNpz(path, arrays);
}

std::vector<DumpFile> listDumps(const std::string &folder) {
  std::vector<DumpFile> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end;
       !error && at != end; at.increment(error))
    if (std::optional<uint64_t> step = stepOf(at->path().filename().string()))
      files.push_back({*step, at->path().string()});
  std::sort(files.begin(), files.end(),
            [](const DumpFile &a, const DumpFile &b) {
              return std::tie(a.step, a.path) < std::tie(b.step, b.path);
            });
  return files;
}

} // namespace graphc::runtime
