// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the list of passes that Pipeline.cpp builds for some options. Tests
// pin it, and docs/passes-intro.md has a table of it.
#include "graphc/Compiler.h"
#include "lib/pipeline/ResolveOptions.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace graphc {

namespace {

class PipelinePrinter {
public:
  /// One line per pass that `build` adds.
  void section(const Twine &title, function_ref<void(OpPassManager &)> build) {
    OpPassManager pm(ModuleOp::getOperationName());
    build(pm);
    stream << title << "\n";
    for (Pass &pass : pm.getPasses()) {
      stream << "  ";
      pass.printAsTextualPipeline(stream);
      stream << "\n";
    }
  }

  std::string text;

private:
  llvm::raw_string_ostream stream{text};
};

} // namespace

runtime::StatusOr<std::string> printPipeline(const CompileOptions &given) {
  GRAPHC_ASSIGN_OR_RETURN(CompileOptions options, resolveOptions(given));
  PipelineOutputs outputs;
  outputs.takeReport = [](const std::string &) {};
  PipelinePrinter printer;
  printer.section(
      "input: the form that the first pass relies on",
      [&](OpPassManager &pm) { buildInput(pm, options.startAt, options); });
  for (Phase phase : kAllPhases) {
    if ((options.startAt && phase <= *options.startAt) ||
        (options.stopAfter && phase > *options.stopAfter))
      continue;
    printer.section(
        choiceName(phase) + ": " + choiceNote(phase),
        [&](OpPassManager &pm) { buildPhase(pm, phase, options, outputs); });
    if (phase == Phase::Scheduled && hasVariants(options))
      printer.section("joined: the plans for all numbers of workers",
                      buildVariants);
  }
  return printer.text;
}

} // namespace graphc
