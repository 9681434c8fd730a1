// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags, bound to the fields of the options.
#include "tools/graphc/Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace graphc {

namespace {

cl::OptionCategory kCategory("graphc options");

/// All flags; local to one call, so that only the command line sees them.
struct Flags {
  cl::opt<std::string> input{cl::Positional, cl::desc("<model.tfir>"),
                             cl::init("-"), cl::cat(kCategory)};
  cl::opt<std::string> output{"o", cl::desc("Write the model here"),
                              cl::value_desc("model.bin"), cl::cat(kCategory)};
  cl::list<std::string> bind{
      "bind",
      cl::desc("Size of a feed (x=100,784) or batch of a dataset (train=100); "
               "may be repeated"),
      cl::value_desc("NAME=SIZES"), cl::cat(kCategory)};
  cl::opt<int64_t> batch{
      "batch",
      cl::desc("First '?' of every feed, and batch of every dataset"),
      cl::value_desc("N"), cl::init(0), cl::cat(kCategory)};
  cl::list<std::string> devices{
      "devices", cl::CommaSeparated,
      cl::desc("Devices to compile for; today: cpu:0 (the default)"),
      cl::value_desc("LIST"), cl::cat(kCategory)};
  cl::opt<std::string> stopAfter{
      "stop-after", cl::desc("Print the text of this phase and stop: "
                             "parsed, differentiated, lowered, scheduled, "
                             "compiled"),
      cl::value_desc("PHASE"), cl::cat(kCategory)};
  cl::opt<std::string> startAt{
      "start-at", cl::desc("The input is the text of this phase"),
      cl::value_desc("PHASE"), cl::cat(kCategory)};
  cl::opt<std::string> dumpPhases{
      "dump-phases", cl::desc("Write the text of every phase to this folder"),
      cl::value_desc("DIR"), cl::cat(kCategory)};
  cl::opt<bool> memoryReport{
      "memory-report", cl::desc("Print the memory plan of every program"),
      cl::cat(kCategory)};
  cl::opt<bool> timing{"timing",
                       cl::desc("Print what every phase took, to stderr"),
                       cl::cat(kCategory)};
};

bool readPhase(StringRef flag, const std::string &text,
               std::optional<Phase> &phase) {
  if (text.empty())
    return true;
  phase = parsePhase(text);
  if (phase)
    return true;
  SmallVector<StringRef> names;
  for (Phase known : kAllPhases)
    names.push_back(phaseName(known));
  errs() << "graphc: error: --" << flag << " names no phase: '" << text
         << "'; phases are " << join(names, ", ") << "\n";
  return false;
}

} // namespace

std::optional<ToolOptions> parseCommandLine(int argc, char **argv,
                                            int &exitCode) {
  Flags flags;
  cl::HideUnrelatedOptions(kCategory);
  exitCode = 2;
  std::string errors;
  raw_string_ostream stream(errors);
  if (!cl::ParseCommandLineOptions(argc, argv,
                                   "graphc: compiles a graph and its devices "
                                   "to one model.bin\n",
                                   &stream)) {
    errs() << "graphc: error: " << errors << "see graphc --help\n";
    return std::nullopt;
  }
  ToolOptions options;
  options.input = flags.input;
  options.output = flags.output;
  options.memoryReport = flags.memoryReport;
  CompileOptions &compile = options.compile;
  compile.bind.assign(flags.bind.begin(), flags.bind.end());
  if (flags.batch.getNumOccurrences()) {
    if (flags.batch < 1) {
      errs() << "graphc: error: --batch is " << flags.batch
             << ", expected at least 1\n";
      return std::nullopt;
    }
    compile.batch = flags.batch;
  }
  if (!flags.devices.empty())
    compile.devices.assign(flags.devices.begin(), flags.devices.end());
  for (const std::string &device : compile.devices)
    if (StringRef(device).lower() != "cpu:0" &&
        StringRef(device).lower() != "/cpu:0") {
      errs() << "graphc: error: --devices names '" << device
             << "', but this graphc compiles for cpu:0 alone\n";
      return std::nullopt;
    }
  compile.dumpPhases = flags.dumpPhases;
  compile.timing = flags.timing;
  if (!readPhase("stop-after", flags.stopAfter, compile.stopAfter) ||
      !readPhase("start-at", flags.startAt, compile.startAt))
    return std::nullopt;
  if (options.output.empty() && !compile.stopAfter && !options.memoryReport) {
    errs() << "graphc: error: no output; name one with -o model.bin, or print a "
              "phase with --stop-after=PHASE\n";
    return std::nullopt;
  }
  return options;
}

} // namespace graphc
