// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of summaries and of logs of values.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_SUMMARYFLAGS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_SUMMARYFLAGS_H

#include "runtime/summary/GraphEvent.h"
#include "tools/flags/CommandLine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::run {

struct SummaryFlags {
  enum class LogForm { None, Jsonl, Csv, Mlflow };

  std::string directory; ///< empty: no summaries
  int64_t every = 100;   ///< steps
  bool hasVariables = false;
  runtime::Hparams hparams;
  LogForm logForm = LogForm::None;
  std::string logFile; ///< of Mlflow a folder

  bool takesHparams() const {
    return !directory.empty() || logForm == LogForm::Mlflow;
  }
  bool isUsed() const { return !directory.empty() || !logFile.empty(); }

  std::string logText; ///< before it is converted
  std::vector<std::string> hparamTexts;
};

/// Adds the flags to the group "Summaries".
void addSummaryFlags(CLI::App &app, SummaryFlags &flags);

/// Converts the texts. INVALID_ARGUMENT names the flag that is wrong, or needs
/// another one.
runtime::Status convertSummaryFlags(const CLI::App &app, SummaryFlags &flags);

} // namespace graphc::run

#endif
