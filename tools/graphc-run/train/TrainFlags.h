// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of graphc-run train.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRAIN_TRAINFLAGS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRAIN_TRAINFLAGS_H

#include "runtime/checkpoint/TensorMatch.h"
#include "runtime/checkpoint/TrainDirectory.h"
#include "runtime/session/train/TrainControl.h"
#include "tools/flags/CommandLine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc::run {

struct TrainFlags {
  bool isTrain = false; ///< the command is "train"
  std::string directory;
  double saveSeconds = 600;
  int64_t saveSteps = 0; ///< 0: by time
  runtime::RetentionPolicy keeps;
  double maxSeconds = 0;
  int64_t epochs = 0;
  std::optional<runtime::MetricGoal> target, best;
  double targetValue = 0;
  int64_t patience = 0;
  std::string evalGraph;
  int64_t evalEvery = 0; ///< steps
  bool isEvaluator = false;
  double evalSeconds = 1;
  runtime::MatchOptions match;

  std::string bestText, untilText; ///< before they are converted
  std::vector<std::string> renames;
};

/// Adds the flags to the group "Training".
void addTrainFlags(CLI::App &app, TrainFlags &flags);

/// Converts the texts. INVALID_ARGUMENT names the flag that is wrong, or does
/// not go with the others that were given.
runtime::Status convertTrainFlags(const CLI::App &app, TrainFlags &flags);

} // namespace graphc::run

#endif
