// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc/CompilerOutputs.h"

#include "report/WriteHtml.h"
#include "runtime/data/File.h"
#include "runtime/format/DeviceMemory.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/Model.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/print/Print.h"
#include "tools/flags/CommandLine.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <span>
#include <sstream>

namespace graphc {

namespace fs = llvm::sys::fs;

namespace {

int checkFolder(const std::string &flag, llvm::StringRef folder) {
  std::error_code error = fs::access(folder, fs::AccessMode::Write);
  if (!error)
    return 0;
  return fail("cannot write to folder '" + folder.str() + "' of " + flag +
              ": " + error.message() +
              "; name a folder that exists and is yours");
}

int checkFile(const std::string &flag, const std::string &path) {
  if (path.empty() || path == "-")
    return 0;
  if (fs::is_directory(path))
    return fail(flag + " takes a file, but '" + path + "' is a folder");
  // A device or a pipe is written to, whatever its folder is.
  fs::file_status status;
  if (!fs::status(path, status) && !fs::is_regular_file(status))
    return 0;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return checkFolder(flag, folder.empty() ? "." : folder);
}

int writeStdout(llvm::StringRef bytes) {
  llvm::outs() << bytes;
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (!error)
    return 0;
  llvm::outs().clear_error();
  return fail("cannot write to stdout: " + error.message());
}

} // namespace

int fail(const std::string &message) {
  flags::printError("graphc", message);
  return flags::kExitFailure;
}

int prepareOutputs(const ToolOptions &options) {
  const std::string &dump = options.compile.dumpPhases;
  if (!dump.empty()) {
    if (std::error_code error = fs::create_directories(dump))
      return fail("cannot make folder '" + dump +
                  "' of --dump-phases: " + error.message());
    if (int code = checkFolder("--dump-phases", dump))
      return code;
  }
  for (const auto &[flag, path] : {std::pair("-o", &options.output),
                                   {"--lock", &options.lock},
                                   {"--report", &options.report}})
    if (int code = checkFile(flag, *path))
      return code;
  return 0;
}

int writeFile(const std::string &path, llvm::StringRef bytes) {
  if (path == "-")
    return writeStdout(bytes);
  std::span<const std::byte> part =
      std::as_bytes(std::span(bytes.data(), bytes.size()));
  runtime::Status status = runtime::replaceFile(path, {&part, 1});
  return status.isOk() ? 0 : fail(status.message());
}

int checkModel(const std::vector<std::byte> &bytes,
               const ToolOptions &options) {
  auto model = runtime::Model::fromBytes(bytes, "model");
  if (!model.isOk())
    return fail("internal: the model that was made is not valid: " +
                model.status().message());
  if (!options.report.empty()) {
    std::ostringstream page;
    runtime::Status status = report::writeHtml(**model, "", page);
    if (!status.isOk())
      return fail("internal: the report cannot be made: " + status.message());
    if (int code = writeFile(options.report, page.str()))
      return code;
  }
  if (!options.memoryReport)
    return 0;
  for (const format::Graph *graph : *(*model)->index().graphs())
    if (!runtime::isHostVariant(*graph) && !runtime::isSummaryVariant(*graph))
      runtime::printMemory((*model)->index(), *graph, std::cout);
  runtime::printDeviceMemory((*model)->index(), std::cout);
  std::cout.flush();
  return std::cout ? 0 : fail("cannot write the memory report to stdout");
}

} // namespace graphc
