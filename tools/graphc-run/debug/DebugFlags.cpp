// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/debug/DebugFlags.h"

#include "runtime/base/Glob.h"
#include "tools/flags/FlagValues.h"

#include <algorithm>
#include <charconv>

namespace graphc::run {

using namespace runtime;

namespace {

constexpr const char *kGroup = "Debugging values";

Status readPatterns(const char *flag, const std::string &text,
                    std::vector<std::string> &patterns) {
  patterns = splitList(text);
  if (std::find(patterns.begin(), patterns.end(), "") == patterns.end())
    return Status::ok();
  return invalidArgument(std::string(flag) +
                         " takes names with '*', such as 'logits/*,loss', not "
                         "'" +
                         text + "'");
}

/// Reads a step; nothing is left as it is.
bool readStep(std::string_view text, uint64_t &step) {
  if (text.empty())
    return true;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), step);
  return error == std::errc() && end == text.data() + text.size() && step > 0;
}

/// "PATTERN[,PATTERN][:A..B]"; names may have ':', too, but no "..".
Status readDump(const std::string &text, DebugFlags &flags) {
  size_t colon = text.rfind(':');
  size_t dots = colon == std::string::npos ? colon : text.find("..", colon);
  if (dots == std::string::npos)
    return readPatterns("--dump", text, flags.dump);
  std::string_view range = std::string_view(text).substr(colon + 1);
  dots -= colon + 1;
  if (!readStep(range.substr(0, dots), flags.dumpSteps.first) ||
      !readStep(range.substr(dots + 2), flags.dumpSteps.last) ||
      flags.dumpSteps.last < flags.dumpSteps.first)
    return invalidArgument("--dump takes PATTERN or PATTERN:FIRST..LAST with "
                           "steps from 1, such as 'logits:10..12', not '" +
                           text + "'");
  return readPatterns("--dump", text.substr(0, colon), flags.dump);
}

} // namespace

void addDebugFlags(CLI::App &app, DebugFlags &flags) {
  app.add_option("--watch", flags.watchText,
                 "Print statistics of the values of these ops in each step, "
                 "such as 'logits/*,variables/*'; 'list' prints the names that "
                 "there are")
      ->type_name("PATTERN[,PATTERN]")
      ->group(kGroup);
  app.add_option("--watch-every", flags.watchEvery,
                 "Watch each so many steps (default: 1)")
      ->check(flags::wholeNumber(1))
      ->group(kGroup);
  app.add_option("--dump", flags.dumpText,
                 "Write the values of these ops in these steps, counted from "
                 "1, to --dump-dir")
      ->type_name("PATTERN[,PATTERN][:FIRST..LAST]")
      ->group(kGroup);
  app.add_option("--dump-dir", flags.dumpFolder,
                 "Folder for step-000012.npz of --dump, nan-step-000012.npz of "
                 "--break-on-nan")
      ->type_name("DIR")
      ->group(kGroup);
  app.add_flag("--break-on-nan", flags.breaksOnNan,
               "Stop at the first op that makes a NaN or an infinity, with "
               "the values around it; exit code 3")
      ->group(kGroup);
  app.add_flag("--verify-ops", flags.verifiesOps,
               "Compile the model's text again with all values kept, run it, "
               "and name the first op whose value is not what its operands "
               "give by the reference of graphc")
      ->group(kGroup);
  app.add_option("--verify-equiv", flags.equivalent,
                 "Run this model, too, from the same first values and inputs, "
                 "and name the first fetch or variable that differs")
      ->type_name("OTHER.bin")
      ->group(kGroup);
  app.add_option("--tolerance", flags.tolerance,
                 "Of --verify-equiv: a difference relative to the largest "
                 "element of a value that is none (default: 1e-4; 0: equal "
                 "bits)")
      ->check(CLI::Range(0.0, 1.0))
      ->group(kGroup);
}

Status convertDebugFlags(const CLI::App &app, const char *elsewhere,
                         DebugFlags &flags) {
  auto isGiven = [&](const char *name) {
    return app.get_option(name)->count() > 0;
  };
  for (const char *name : {"--watch", "--dump", "--break-on-nan",
                           "--verify-ops", "--verify-equiv"})
    if (elsewhere && isGiven(name))
      return invalidArgument(
          std::string(name) + " looks at values in this process, not on " +
          elsewhere +
          "; with --virtual-gpus this process runs the programs of all tasks, "
          "and fetches (--out) and variables (--save) can be compared by "
          "graphc-diff-values");
  flags.listsValues = flags.watchText == "list";
  if (isGiven("--watch") && !flags.listsValues)
    GRAPHC_TRY(readPatterns("--watch", flags.watchText, flags.watch));
  if (isGiven("--dump"))
    GRAPHC_TRY(readDump(flags.dumpText, flags));
  if (isGiven("--watch-every") && flags.watch.empty())
    return invalidArgument("--watch-every needs --watch=PATTERN");
  if (isGiven("--tolerance") && flags.equivalent.empty())
    return invalidArgument("--tolerance needs --verify-equiv=OTHER.bin");
  if (isGiven("--dump") && flags.dumpFolder.empty())
    return invalidArgument("--dump needs --dump-dir=DIR");
  if (isGiven("--dump-dir") && flags.dump.empty() && !flags.breaksOnNan)
    return invalidArgument("--dump-dir needs --dump=PATTERN or --break-on-nan");
  return Status::ok();
}

} // namespace graphc::run
