// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/train/TrainFlags.h"

#include "tools/flags/FlagValues.h"

#include <cstdlib>

namespace graphc::run {

using namespace runtime;

namespace {

constexpr const char *kGroup = "Training (graphc-run train MODEL)";

void addSaving(CLI::App &app, TrainFlags &flags) {
  app.add_option("--train-dir", flags.directory,
                 "Folder of the training: it goes on from the latest "
                 "checkpoint there")
      ->type_name("DIR")
      ->group(kGroup);
  app.add_option("--save-secs", flags.saveSeconds,
                 "Seconds between two checkpoints (default: 600)")
      ->check(CLI::Range(0.001, 1e9))
      ->group(kGroup);
  app.add_option("--save-steps", flags.saveSteps,
                 "Steps between two checkpoints, in place of --save-secs")
      ->check(flags::wholeNumber(1))
      ->group(kGroup);
  app.add_option("--keep", flags.keeps.last,
                 "Checkpoints to keep, the last ones (default: 5; 0: all)")
      ->check(flags::wholeNumber(0))
      ->group(kGroup);
  app.add_option("--keep-best", flags.keeps.best,
                 "Apart from them, so many of the best by --best")
      ->check(flags::wholeNumber(1))
      ->group(kGroup);
  app.add_option("--best", flags.bestText,
                 "Metric that tells how good a checkpoint is, NAME:min or "
                 "NAME:max: a fetch, or GRAPH/NAME of an evaluation")
      ->type_name("METRIC")
      ->group(kGroup);
}

void addEnds(CLI::App &app, TrainFlags &flags) {
  app.add_option("--epochs", flags.epochs,
                 "Passes over the data to train for, in place of --steps")
      ->check(flags::wholeNumber(1))
      ->group(kGroup);
  app.add_option("--max-secs", flags.maxSeconds,
                 "Seconds after which the training ends, saved")
      ->check(CLI::Range(0.001, 1e9))
      ->group(kGroup);
  app.add_option("--until", flags.untilText,
                 "Metric at which the training ends: NAME<=VALUE or "
                 "NAME>=VALUE")
      ->type_name("METRIC")
      ->group(kGroup);
  app.add_option("--patience", flags.patience,
                 "Evaluations without a better --best after which it ends")
      ->check(flags::wholeNumber(1))
      ->group(kGroup);
}

void addEvaluation(CLI::App &app, TrainFlags &flags) {
  app.add_option("--eval-graph", flags.evalGraph,
                 "Graph that evaluates, over all of its data, every")
      ->type_name("GRAPH")
      ->group(kGroup);
  app.add_option("--eval-every", flags.evalEvery, "so many steps")
      ->check(flags::wholeNumber(1))
      ->group(kGroup);
  app.add_flag("--evaluate", flags.isEvaluator,
               "Train nothing: run --graph on each new checkpoint in "
               "--train-dir until the training has ended")
      ->group(kGroup);
  app.add_option("--eval-secs", flags.evalSeconds,
                 "With --evaluate: seconds between two looks for a checkpoint "
                 "(default: 1)")
      ->check(CLI::Range(0.001, 1e9))
      ->group(kGroup);
}

/// "NAME:min", "NAME:max".
StatusOr<MetricGoal> parseBest(const std::string &text) {
  size_t colon = text.rfind(':');
  std::string word = colon == std::string::npos ? "" : text.substr(colon + 1);
  if ((word != "min" && word != "max") || colon == 0)
    return invalidArgument("--best takes NAME:min or NAME:max, such as "
                           "loss:min, not '" +
                           text + "'");
  return MetricGoal{text.substr(0, colon), word == "max"};
}

/// "NAME<=VALUE", "NAME>=VALUE".
Status parseUntil(const std::string &text, TrainFlags &flags) {
  size_t sign = text.find_first_of("<>");
  Status wrong = invalidArgument("--until takes NAME<=VALUE or NAME>=VALUE, "
                                 "such as 'loss<=0.1', not '" +
                                 text + "'");
  if (sign == std::string::npos || sign == 0 || sign + 2 >= text.size() ||
      text[sign + 1] != '=')
    return wrong;
  char *end = nullptr;
  flags.targetValue = std::strtod(text.c_str() + sign + 2, &end);
  if (*end)
    return wrong;
  flags.target = MetricGoal{text.substr(0, sign), text[sign] == '>'};
  return Status::ok();
}

Status checkTogether(const CLI::App &app, const TrainFlags &flags) {
  if (flags.directory.empty())
    return invalidArgument("graphc-run train needs --train-dir=DIR, where it "
                           "keeps its checkpoints");
  for (const char *name : {"--checkpoint", "--checkpoint-every"})
    if (app.get_option(name)->count() > 0)
      return invalidArgument(std::string(name) +
                             " is for runs without 'train', which keeps its "
                             "checkpoints in --train-dir; leave it out");
  if (app.get_option("--init")->count() > 0)
    return invalidArgument("--init is for runs without 'train': to begin a "
                           "training anew, name another --train-dir or remove "
                           "this one");
  if (flags.epochs > 0 && app.get_option("--steps")->count() > 0)
    return invalidArgument("--steps and --epochs both say when the training "
                           "ends: give one of them");
  if ((flags.evalEvery > 0) != !flags.evalGraph.empty())
    return invalidArgument("--eval-graph and --eval-every go together");
  if (flags.keeps.best > 0 && !flags.best)
    return invalidArgument("--keep-best needs --best=METRIC");
  if (flags.patience > 0 && (!flags.best || flags.evalEvery == 0))
    return invalidArgument(
        "--patience needs --best=METRIC, --eval-graph and --eval-every");
  if (flags.isEvaluator && flags.evalEvery > 0)
    return invalidArgument("--evaluate runs --graph; --eval-graph and "
                           "--eval-every are for the process that trains");
  return Status::ok();
}

} // namespace

void addTrainFlags(CLI::App &app, TrainFlags &flags) {
  addSaving(app, flags);
  addEnds(app, flags);
  addEvaluation(app, flags);
  app.add_flag("--partial", flags.match.isPartial,
               "With --load: variables that the file lacks, or has with "
               "another shape, keep their first values; prints which");
  flags::addList(app, "--rename", flags.renames,
                 "With --load: a variable's name in the file, OURS=THEIRS")
      ->type_name("OURS=THEIRS");
}

Status convertTrainFlags(const CLI::App &app, TrainFlags &flags) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<flags::NamedText> renames,
                          flags::splitNamed("--rename", flags.renames));
  for (flags::NamedText &rename : renames)
    flags.match.renames[rename.name] = rename.text;
  if ((flags.match.isPartial || !renames.empty()) &&
      app.get_option("--load")->count() == 0)
    return invalidArgument("--partial and --rename need --load=FILE");
  if (!flags.isTrain) {
    for (const CLI::Option *option : app.get_options())
      if (option->get_group() == kGroup && option->count() > 0)
        return invalidArgument(option->get_name() +
                               " is for 'graphc-run train MODEL'; write "
                               "'train' before the other arguments");
    return Status::ok();
  }
  if (!flags.bestText.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(flags.best, parseBest(flags.bestText));
    flags.keeps.metric = flags.best->metric;
    flags.keeps.isLargerBetter = flags.best->isLargerBetter;
  }
  if (!flags.untilText.empty())
    GRAPHC_TRY(parseUntil(flags.untilText, flags));
  return checkTogether(app, flags);
}

} // namespace graphc::run
