// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc: model.tfir and devices in, model.bin out. Exit codes: 0, 1 after a
// diagnostic, 2 for a bad command line.
#include "graphc/Compiler.h"
#include "tools/graphc/CompilerOutputs.h"
#include "tools/graphc/Interpret.h"
#include "tools/graphc/PlacementOutputs.h"
#include "tools/graphc/ToolOptions.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <csignal>

using namespace graphc;

/// Writes the list of passes to stdout.
static int writePipeline(const CompileOptions &options) {
  runtime::StatusOr<std::string> text = printPipeline(options);
  return text.isOk() ? writeFile("-", *text) : fail(text.status().message());
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // A file beyond the limit of the shell is a failed write, which has an error
  // of its own, and no crash of LLVM.
  std::signal(SIGXFSZ, SIG_IGN);
  int exitCode = 0;
  std::optional<ToolOptions> options = parseCommandLine(argc, argv, exitCode);
  if (!options)
    return exitCode;
  if (options->printPipeline)
    return writePipeline(options->compile);
  auto source = llvm::MemoryBuffer::getFileOrSTDIN(options->input);
  if (!source)
    return fail("cannot read '" + options->input +
                "': " + source.getError().message());
  if (int code = prepareOutputs(*options))
    return code;
  preparePlacement(*options);
  auto result = compile(std::move(*source), options->compile);
  if (failed(result))
    return 1;
  if (options->wantsPlacement())
    if (int code = writePlacement(*options, *result->placement,
                                  result->pipeline + result->shards))
      return code;
  if (options->placementOnly || options->compile.check)
    return 0;
  if (!options->interpret.graph.empty())
    return interpret(result->text, options->interpret);
  if (options->compile.stopAfter)
    return writeFile(options->output.empty() ? "-" : options->output,
                     result->text);
  if (int code = checkModel(result->model, *options))
    return code;
  if (options->output.empty())
    return 0;
  return writeFile(options->output,
                   {reinterpret_cast<const char *>(result->model.data()),
                    result->model.size()});
}
