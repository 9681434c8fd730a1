// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/RunOutputs.h"

#include "runtime/data/File.h"
#include "runtime/data/Npy.h"
#include "tools/graphc-run/Values.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <unistd.h>

namespace graphc::run {

using namespace runtime;

namespace {

Status checkWritable(const std::string &flag, const std::string &folder) {
  if (access(folder.c_str(), W_OK | X_OK) == 0)
    return Status::ok();
  return permissionDenied("cannot write to folder '" + folder + "' of " + flag +
                          ": " + std::strerror(errno) +
                          "; name a folder that exists and is yours");
}

Status checkFile(const std::string &flag, const std::string &path) {
  if (path.empty())
    return Status::ok();
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return invalidArgument(flag + " takes a file, but '" + path +
                           "' is a folder");
  std::filesystem::file_status status = std::filesystem::status(path, error);
  bool isDevice = std::filesystem::exists(status) &&
                  !std::filesystem::is_regular_file(status);
  if (isDevice && access(path.c_str(), W_OK) == 0)
    return Status::ok();
  std::string folder = std::filesystem::path(path).parent_path().string();
  return checkWritable(flag, folder.empty() ? "." : folder);
}

Status writeText(const std::string &path, const std::string &text) {
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  return replaceFile(path, {&bytes, 1});
}

} // namespace

Status prepareOutputs(const RunOptions &options) {
  GRAPHC_TRY(checkFile("--json", options.jsonFile));
  GRAPHC_TRY(checkFile("--save", options.saveFile));
  if (options.outDir.empty())
    return Status::ok();
  std::error_code error;
  std::filesystem::create_directories(options.outDir, error);
  if (error)
    return permissionDenied("cannot make folder '" + options.outDir +
                            "' of --out: " + error.message());
  return checkWritable("--out", options.outDir);
}

Status writeResults(const std::string &folder,
                    const std::vector<NamedTensor> &values) {
  for (const NamedTensor &value : values) {
    std::string name = value.name;
    std::replace(name.begin(), name.end(), '/', '_');
    std::string path = folder + "/" + name;
    if (value.tensor.type.dtype == DType::String)
      GRAPHC_TRY(
          writeText(path + ".txt",
                    formatValue(value.tensor.type, value.tensor.bytes) + "\n"));
    else
      GRAPHC_TRY(saveNpy(path + ".npy", value.tensor));
  }
  return Status::ok();
}

Status writeJson(const std::string &path, const nlohmann::ordered_json &json) {
  // Names and texts of a model need not be UTF-8; JSON must.
  std::string text =
      json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  return writeText(path, text + "\n");
}

} // namespace graphc::run
