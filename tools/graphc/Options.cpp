// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags, bound to the fields of the options. CLI11 and not LLVM's own
// command line: that one is shared with the libraries, which bring hundreds of
// flags and some of our names.
#include "tools/graphc/Options.h"

#include "runtime/base/Suggest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

namespace graphc {

namespace {

std::string phaseNames() {
  std::string names;
  for (Phase phase : kAllPhases)
    names += (names.empty() ? "" : ", ") + phaseName(phase).str();
  return names;
}

CLI::Validator phaseCheck() {
  return CLI::Validator(
      [](std::string &text) {
        return parsePhase(text)
                   ? std::string()
                   : "'" + text + "' is no phase; phases are " + phaseNames();
      },
      "PHASE", "phase");
}

/// Also writes the name in one form, as the model records the flags.
CLI::Validator deviceCheck() {
  return CLI::Validator(
      [](std::string &text) {
        std::string name = llvm::StringRef(text).lower();
        if (name != "cpu:0" && name != "/cpu:0")
          return "'" + text +
                 "' cannot be compiled for; this graphc knows cpu:0";
        text = "cpu:0";
        return std::string();
      },
      "LIST", "device");
}

/// "NAME=SIZE,SIZE..."
CLI::Validator bindCheck() {
  return CLI::Validator(
      [](std::string &text) {
        auto [name, sizes] = llvm::StringRef(text).split('=');
        bool fits = !name.empty() && !sizes.empty();
        llvm::SmallVector<llvm::StringRef> parts;
        sizes.split(parts, ',');
        for (llvm::StringRef part : parts) {
          int64_t size = 0;
          fits &= !part.getAsInteger(10, size) && size > 0;
        }
        return fits ? std::string()
                    : "'" + text +
                          "' is not a name with sizes, such as x=100,784";
      },
      "NAME=SIZES", "bind");
}

/// A batch that fits into the 32-bit numbers in which kernels count.
CLI::Validator batchCheck() {
  return CLI::Validator(
      [](std::string &text) {
        int32_t size = 0;
        return !llvm::StringRef(text).getAsInteger(10, size) && size > 0
                   ? std::string()
                   : "'" + text +
                         "' is not a whole number from 1 to 2147483647";
      },
      "N", "batch");
}

/// Flags as text, before they are phases.
struct PhaseFlags {
  std::string stopAfter, startAt;
};

void addFlags(CLI::App &app, ToolOptions &options, PhaseFlags &phases) {
  CompileOptions &compile = options.compile;
  // As with other compilers, the last of two equal flags counts.
  app.option_defaults()->take_last();
  app.add_option("input", options.input, "The graph; - is stdin")
      ->option_text("model.tfir");
  app.add_option("-o,--output", options.output, "Write the model here")
      ->option_text("model.bin");
  app.add_option(
         "--bind", compile.bind,
         "Size of a feed (x=100,784) or batch of a dataset (train=100); "
         "may be repeated")
      ->expected(1)
      ->take_all()
      ->option_text("NAME=SIZES")
      ->check(bindCheck());
  app.add_option("--batch", compile.batch,
                 "First '?' of every feed, and batch of every dataset")
      ->option_text("N")
      ->check(batchCheck());
  app.add_option("--devices", compile.devices,
                 "Devices to compile for (default: cpu:0)")
      ->delimiter(',')
      ->option_text("LIST")
      ->transform(deviceCheck());
  app.add_option("--stop-after", phases.stopAfter,
                 "Print the text of this phase and stop: " + phaseNames())
      ->option_text("PHASE")
      ->check(phaseCheck());
  app.add_option("--start-at", phases.startAt,
                 "The input is the text that --stop-after=PHASE printed")
      ->option_text("PHASE")
      ->check(phaseCheck());
  app.add_option("--dump-phases", compile.dumpPhases,
                 "Write the text of every phase to this folder")
      ->option_text("DIR");
  app.add_flag("--memory-report", options.memoryReport,
               "Print the memory plan of every program");
  app.add_flag("--timing", compile.timing,
               "Print what every phase took, to stderr");
}

/// What is wrong with an argument that CLI11 could make nothing of.
std::string describeExtra(const CLI::App &app, const ToolOptions &options,
                          const std::string &text) {
  if (text.rfind('-', 0) != 0)
    return "one model.tfir is compiled, but '" + text + "' follows '" +
           options.input + "'";
  std::vector<std::string> known;
  for (const CLI::Option *option : app.get_options())
    if (!option->get_lnames().empty())
      known.push_back("--" + option->get_lnames().front());
  std::string flag = text.substr(0, text.find('='));
  std::string nearest = runtime::nearestName(flag, known);
  return "unknown flag '" + flag + "'" +
         (nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
}

/// Empty when the flags make sense together.
std::string checkFlags(const CLI::App &app, const ToolOptions &options) {
  const CompileOptions &compile = options.compile;
  std::vector<std::string> extras = app.remaining();
  if (!extras.empty())
    return describeExtra(app, options, extras.front());
  if (options.input.empty())
    return "no model.tfir is given";
  if (compile.devices.size() > 1)
    return "--devices names cpu:0 twice";
  if (compile.stopAfter && compile.startAt &&
      *compile.stopAfter <= *compile.startAt)
    return "--stop-after=" + phaseName(*compile.stopAfter).str() +
           " is not behind --start-at=" + phaseName(*compile.startAt).str() +
           "; phases are " + phaseNames();
  if (options.memoryReport && compile.stopAfter)
    return "--memory-report needs a model, but --stop-after=" +
           phaseName(*compile.stopAfter).str() + " makes none";
  if (options.memoryReport && options.output == "-")
    return "--memory-report and -o - would both print to stdout";
  if (options.output.empty() && !compile.stopAfter && !options.memoryReport)
    return "no output; name one with -o model.bin, or print a phase with "
           "--stop-after=PHASE";
  return "";
}

} // namespace

std::optional<ToolOptions> parseCommandLine(int argc, char **argv,
                                            int &exitCode) {
  ToolOptions options;
  PhaseFlags phases;
  CLI::App app("Compiles a graph and its devices to one model.bin.", "graphc");
  app.allow_extras();
  app.set_version_flag("--version", "graphc " GRAPHC_VERSION);
  addFlags(app, options, phases);
  std::string problem;
  try {
    app.parse(argc, argv);
    options.compile.stopAfter = parsePhase(phases.stopAfter);
    options.compile.startAt = parsePhase(phases.startAt);
    problem = checkFlags(app, options);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) {
      exitCode = app.exit(error);
      return std::nullopt;
    }
    problem = error.what();
  }
  if (problem.empty())
    return options;
  llvm::errs() << "graphc: error: " << problem << "; see graphc --help\n";
  exitCode = 2;
  return std::nullopt;
}

} // namespace graphc
