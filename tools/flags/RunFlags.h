// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags about one run: its graph, inputs, outputs and variables. graphc-run
// acts on them; graphc-deploy writes them into manifests.
#ifndef GRAPHC_TOOLS_FLAGS_RUNFLAGS_H
#define GRAPHC_TOOLS_FLAGS_RUNFLAGS_H

#include "runtime/executor/Numerics.h"
#include "tools/flags/FlagValues.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc::flags {

struct RunFlags {
  std::string model;
  std::string graph;    ///< empty: the only one
  uint32_t workers = 0; ///< of a plan with variants; 0: as the cluster has
  std::optional<int64_t> steps; ///< nothing: until the data end, or 1
  int64_t printEvery = 0;       ///< 0: the last step only
  std::vector<NamedText> data;
  std::vector<NamedText> feeds;
  std::vector<std::string> fetches; ///< empty: all
  std::string outDir;               ///< of fetches, or of manifests
  std::string jsonFile;
  std::string saveFile;
  std::string loadFile;
  bool isInit = false; ///< all values anew, whatever there is
  std::string checkpointFile;
  int64_t checkpointEvery = 0; ///< steps; 0: at the start and the end
  uint64_t seed = 0;
  runtime::NanPolicy nan = runtime::NanPolicy::Error;
  bool checkNumerics = false;
  bool printMeans = false;
  bool isQuiet = false;
};

/// The texts of flags that need more than the parser's own conversion.
struct RunTexts {
  std::vector<std::string> data, feeds;
  std::string nan = "error";
};

/// Adds the model and the flags from --graph to --seed; `outHelp` describes
/// what
/// --out is a folder for, `modelHelp` what the model is for.
void addRunFlags(CLI::App &app, RunFlags &flags, RunTexts &texts,
                 const char *modelHelp, const char *outHelp);

/// Adds --nan and --check-numerics.
void addNumericsFlags(CLI::App &app, RunFlags &flags, RunTexts &texts);

/// Converts the texts. INVALID_ARGUMENT names the flag that is wrong.
runtime::Status convertRunFlags(const RunTexts &texts, RunFlags &flags);

/// INVALID_ARGUMENT if flags contradict each other.
runtime::Status checkRunFlags(const RunFlags &flags);

} // namespace graphc::flags

#endif
