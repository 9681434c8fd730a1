// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/summary/SummaryFlags.h"

#include "tools/flags/FlagValues.h"

#include <cstdlib>

namespace graphc::run {

using namespace runtime;

namespace {

constexpr const char *kGroup = "Summaries";

/// "jsonl:FILE", "csv:FILE", "mlflow:DIR".
Status parseLog(SummaryFlags &flags) {
  size_t colon = flags.logText.find(':');
  std::string form = flags.logText.substr(0, colon);
  if (form == "jsonl")
    flags.logForm = SummaryFlags::LogForm::Jsonl;
  else if (form == "csv")
    flags.logForm = SummaryFlags::LogForm::Csv;
  else if (form == "mlflow")
    flags.logForm = SummaryFlags::LogForm::Mlflow;
  if (colon != std::string::npos)
    flags.logFile = flags.logText.substr(colon + 1);
  if (flags.logForm == SummaryFlags::LogForm::None || flags.logFile.empty())
    return invalidArgument("--log takes jsonl:FILE, csv:FILE or "
                           "mlflow:DIR, not '" +
                           flags.logText + "'");
  return Status::ok();
}

/// A number where the text is one, true and false, else the text.
HparamValue parseHparam(const std::string &text) {
  if (text == "true" || text == "false")
    return text == "true";
  char *end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end)
    return text;
  return number;
}

} // namespace

void addSummaryFlags(CLI::App &app, SummaryFlags &flags) {
  app.add_option("--summary-dir", flags.directory,
                 "Write for TensorBoard: fetches as scalars, histograms, "
                 "images and texts, rates, the graph with its devices")
      ->type_name("DIR")
      ->group(kGroup);
  app.add_option("--summary-every", flags.every,
                 "Steps between two writes of --summary-dir and --log "
                 "(default: 100); the last step is written, too")
      ->check(flags::wholeNumber(1))
      ->group(kGroup);
  app.add_flag("--summary-variables", flags.hasVariables,
               "With --summary-dir: a histogram of each trainable variable")
      ->group(kGroup);
  flags::addList(
      app, "--hparam", flags.hparamTexts,
      "With --summary-dir or --log=mlflow: a parameter of the run to "
      "compare by, beside seed and batch")
      ->type_name("NAME=VALUE")
      ->group(kGroup);
  app.add_option("--log", flags.logText,
                 "Write step, time and scalar fetches to a file, jsonl:FILE "
                 "or csv:FILE, or as a run of a folder of MLflow, mlflow:DIR")
      ->type_name("FORM:FILE")
      ->group(kGroup);
}

Status convertSummaryFlags(const CLI::App &app, SummaryFlags &flags) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<flags::NamedText> hparams,
                          flags::splitNamed("--hparam", flags.hparamTexts));
  for (const flags::NamedText &hparam : hparams)
    flags.hparams[hparam.name] = parseHparam(hparam.text);
  if (!flags.logText.empty())
    GRAPHC_TRY(parseLog(flags));
  if (flags.hasVariables && flags.directory.empty())
    return invalidArgument("--summary-variables needs --summary-dir=DIR");
  if (!flags.hparams.empty() && !flags.takesHparams())
    return invalidArgument(
        "--hparam needs --summary-dir=DIR or --log=mlflow:DIR");
  if (app.get_option("--summary-every")->count() > 0 && !flags.isUsed())
    return invalidArgument(
        "--summary-every needs --summary-dir=DIR or --log=jsonl:FILE");
  return Status::ok();
}

} // namespace graphc::run
