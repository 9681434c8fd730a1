// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags, bound to the fields of the options. CLI11 and not LLVM's own command
// line: that one is shared with the libraries, which bring hundreds of flags and
// some of our names.
#include "tools/graphc/Options.h"

#include "llvm/ADT/StringExtras.h"

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

CLI::Validator deviceCheck() {
  return CLI::Validator(
      [](std::string &text) {
        std::string name = llvm::StringRef(text).lower();
        return name == "cpu:0" || name == "/cpu:0"
                   ? std::string()
                   : "'" + text +
                         "' cannot be compiled for; this graphc knows cpu:0";
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

} // namespace

std::optional<ToolOptions> parseCommandLine(int argc, char **argv,
                                            int &exitCode) {
  ToolOptions options;
  CompileOptions &compile = options.compile;
  std::string stopAfter, startAt;
  CLI::App app("Compiles a graph and its devices to one model.bin.", "graphc");
  app.set_version_flag("--version", "graphc " GRAPHC_VERSION);
  app.add_option("input", options.input, "The graph, model.tfir; - is stdin")
      ->required()
      ->option_text("model.tfir");
  app.add_option("-o,--output", options.output, "Write the model here")
      ->option_text("model.bin");
  app.add_option("--bind", compile.bind,
                 "Size of a feed (x=100,784) or batch of a dataset (train=100); "
                 "may be repeated")
      ->expected(1)
      ->take_all()
      ->check(bindCheck());
  app.add_option("--batch", compile.batch,
                 "First '?' of every feed, and batch of every dataset")
      ->check(CLI::PositiveNumber)
      ->option_text("N");
  app.add_option("--devices", compile.devices,
                 "Devices to compile for (default: cpu:0)")
      ->delimiter(',')
      ->check(deviceCheck());
  app.add_option("--stop-after", stopAfter,
                 "Print the text of this phase and stop: " + phaseNames())
      ->check(phaseCheck());
  app.add_option("--start-at", startAt,
                 "The input is the text that --stop-after=PHASE printed")
      ->check(phaseCheck());
  app.add_option("--dump-phases", compile.dumpPhases,
                 "Write the text of every phase to this folder")
      ->option_text("DIR");
  app.add_flag("--memory-report", options.memoryReport,
               "Print the memory plan of every program");
  app.add_flag("--timing", compile.timing,
               "Print what every phase took, to stderr");
  try {
    app.parse(argc, argv);
    if (options.output.empty() && stopAfter.empty() && !options.memoryReport)
      throw CLI::ValidationError(
          "no output; name one with -o model.bin, or print a phase with "
          "--stop-after=PHASE");
  } catch (const CLI::ParseError &error) {
    bool failed = error.get_exit_code() != 0;
    exitCode = failed ? 2 : 0;
    if (failed)
      std::cerr << "graphc: error: " << error.what()
                << "\nsee graphc --help\n";
    else
      app.exit(error);
    return std::nullopt;
  }
  compile.stopAfter = parsePhase(stopAfter);
  compile.startAt = parsePhase(startAt);
  return options;
}

} // namespace graphc
