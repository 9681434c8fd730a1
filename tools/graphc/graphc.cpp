// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc: model.tfir and devices in, model.bin out. Exit codes: 0, 1 after a
// diagnostic, 2 for a bad command line.
#include "graphc/Compiler.h"
#include "runtime/format/Model.h"
#include "runtime/format/Print.h"
#include "tools/graphc/Options.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>

using namespace graphc;

namespace {

int fail(const std::string &message) {
  llvm::errs() << "graphc: error: " << message << "\n";
  return 1;
}

/// Writes to a temporary file that takes the name at the end: no half model.
int writeFile(const std::string &path, llvm::StringRef bytes) {
  if (path == "-") {
    llvm::outs().write(bytes.data(), bytes.size());
    return 0;
  }
  if (llvm::Error error = llvm::writeToOutput(
          path, [&](llvm::raw_ostream &stream) -> llvm::Error {
            stream.write(bytes.data(), bytes.size());
            return llvm::Error::success();
          }))
    return fail("cannot write '" + path +
                "': " + llvm::toString(std::move(error)));
  return 0;
}

int printMemoryReport(const std::vector<std::byte> &bytes) {
  auto model = runtime::Model::fromBytes(bytes, "model");
  if (!model.isOk())
    return fail("internal: the model that was written is not valid: " +
                model.status().message());
  for (const format::Graph *graph : *(*model)->index().graphs())
    runtime::printMemory(*graph, std::cout);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  int exitCode = 0;
  std::optional<ToolOptions> options =
      parseCommandLine(argc, argv, exitCode);
  if (!options)
    return exitCode;
  auto source = llvm::MemoryBuffer::getFileOrSTDIN(options->input);
  if (!source)
    return fail("cannot read '" + options->input +
                "': " + source.getError().message());
  auto result = compile(std::move(*source), options->compile);
  if (failed(result))
    return 1;
  if (options->compile.stopAfter)
    return writeFile(options->output.empty() ? "-" : options->output,
                     result->text);
  if (options->memoryReport)
    if (int code = printMemoryReport(result->model))
      return code;
  if (options->output.empty())
    return 0;
  return writeFile(options->output,
                   {reinterpret_cast<const char *>(result->model.data()),
                    result->model.size()});
}
