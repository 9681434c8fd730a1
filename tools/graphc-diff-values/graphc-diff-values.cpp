// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-diff-values: finds the first value in which two runs differ.
#include "runtime/base/Glob.h"
#include "tools/flags/CommandLine.h"
#include "tools/flags/FlagValues.h"
#include "tools/graphc-diff-values/DiffTable.h"

namespace {

using namespace graphc::diffvalues;
using namespace graphc::runtime;

constexpr int kExitDiffers = 1;
constexpr int kExitUnreadable = 2;

} // namespace

int main(int argc, char **argv) {
  DiffOptions options;
  std::string match;
  graphc::flags::CommandLine line(
      "Finds the first value in which two runs differ: folders of --dump-dir "
      "or --out, .npz and .npy files, checkpoints.\nExits 0 when nothing "
      "differs, 1 when something does, 2 when a file cannot be read.",
      "graphc-diff-values");
  CLI::App &app = line.app();
  app.add_option("a", options.a, "One run, whose order of values is kept")
      ->required();
  app.add_option("b", options.b, "The other run")->required();
  app.add_option("--ulps", options.limits.ulps,
                 "Difference in units in the last place that is none")
      ->check(CLI::NonNegativeNumber);
  app.add_option(
         "--atol", options.limits.absolute,
         "Difference of two elements that is none, to which --rtol adds")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--rtol", options.limits.relative,
                 "The same, as a share of the element of B")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--match", match, "Compare only values of these names")
      ->type_name("PATTERN[,PATTERN]");
  app.add_option("--rows", options.rows,
                 "Rows of the table (default: 20); others are counted")
      ->check(graphc::flags::wholeNumber(1));
  if (std::optional<int> code =
          line.read(graphc::flags::argumentsOf(argc, argv), [&] {
            if (!match.empty())
              options.match = splitList(match);
            return Status::ok();
          }))
    return *code;
  StatusOr<bool> differs = diffSources(options);
  if (differs.isOk())
    return *differs ? kExitDiffers : 0;
  graphc::flags::printError("graphc-diff-values", differs.status().message());
  return kExitUnreadable;
}
