// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc/PlacementOutputs.h"

#include "tools/graphc/CompilerOutputs.h"

namespace graphc {

void preparePlacement(ToolOptions &options) {
  if (!options.wantsPlacement() && !options.compile.lint)
    return;
  options.compile.placement.logged = {options.explain,
                                      options.logPlacement == "json"};
  options.placementOnly = options.output.empty() && options.report.empty() &&
                          !options.memoryReport && !options.compile.stopAfter;
  if (options.placementOnly)
    options.compile.stopAfter = Phase::Placed;
}

int writePlacement(const ToolOptions &options, const PlacementLog &log,
                   const std::string &plan) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!options.lock.empty()) {
    log.printLock(stream);
    if (int code = writeFile(options.lock, text))
      return code;
    text.clear();
  }
  if (!options.logPlacement.empty() && options.logPlacement != "json")
    stream << plan;
  if (!options.logPlacement.empty())
    log.print(stream, options.logPlacement == "json"     ? LogForm::Json
                      : options.logPlacement == "legacy" ? LogForm::Legacy
                                                         : LogForm::Canonical);
  for (const std::string &name : options.explain) {
    runtime::StatusOr<std::string> words = log.explain(name);
    if (!words.isOk())
      return fail("--explain: " + words.status().message());
    stream << *words;
  }
  return text.empty() ? 0 : writeFile("-", text);
}

} // namespace graphc
