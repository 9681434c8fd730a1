// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/flags/RunFlags.h"

namespace graphc::flags {

namespace {

constexpr const char *kFeedHelp =
    "Value of a feed in every step: a .npy file, a number, or numbers between "
    "commas for all its elements in row-major order (true and false for bool)";

constexpr std::pair<std::string_view, runtime::NanPolicy> kNanPolicies[] = {
    {"error", runtime::NanPolicy::Error},
    {"warn", runtime::NanPolicy::Warn},
    {"ignore", runtime::NanPolicy::Ignore}};

void addInputs(CLI::App &app, RunFlags &flags, RunTexts &texts,
               const char *modelHelp) {
  app.add_option("model", flags.model, modelHelp);
  app.add_option("--graph", flags.graph,
                 "Graph to run; not needed where the model has one");
  app.add_option("--workers", flags.workers,
                 "Of a model for several numbers of workers, the plan for so "
                 "many; on a cluster, that for its workers is run")
      ->check(wholeNumber(1, std::numeric_limits<uint32_t>::max()));
  app.add_option("--steps", flags.steps,
                 "Steps to run (default: until the data end; 1 without data)")
      ->check(wholeNumber(1));
  addList(app, "--data", texts.data,
          "Files of a dataset, NAME=FILE[,FILE...][@BEGIN:END]: one per field, "
          "or one .npz or .csv; BEGIN:END are the rows to use")
      ->type_name("NAME=FILES");
  addList(app, "--feed", texts.feeds, kFeedHelp)->type_name("NAME=VALUE");
}

void addOutputs(CLI::App &app, RunFlags &flags, const char *outHelp) {
  addList(app, "--fetch", flags.fetches, "Value to print (default: all)")
      ->delimiter(',')
      ->type_name("NAME");
  app.add_option("--print-every", flags.printEvery,
                 "Print every so many steps (default: the last step)")
      ->check(wholeNumber(0));
  app.add_flag("--mean", flags.printMeans,
               "Print the mean over all steps of each fetched float scalar");
  app.add_flag("--quiet", flags.isQuiet, "Print nothing but errors");
  app.add_option("--out", flags.outDir, outHelp);
  app.add_option("--json", flags.jsonFile, "File for the results as JSON");
}

void addVariables(CLI::App &app, RunFlags &flags) {
  app.add_option("--save", flags.saveFile,
                 "Write all variables to this .safetensors file at the end");
  app.add_option(
      "--load", flags.loadFile,
      "Start from the variables of this .safetensors file, and go on with "
      "the examples and random numbers that were next");
  app.add_flag("--init", flags.isInit,
               "Give all variables their first values anew, whatever values "
               "servers or a --checkpoint have");
  app.add_option("--checkpoint", flags.checkpointFile,
                 "File of a run that may end too early: one that finds it goes "
                 "on from it, as --recover does; written at the start and the "
                 "end, and")
      ->type_name("FILE");
  app.add_option("--checkpoint-every", flags.checkpointEvery,
                 "between them every so many steps")
      ->check(wholeNumber(1));
  app.add_option("--seed", flags.seed,
                 "Of everything random; the same seed gives the same numbers");
}

} // namespace

void addRunFlags(CLI::App &app, RunFlags &flags, RunTexts &texts,
                 const char *modelHelp, const char *outHelp) {
  addInputs(app, flags, texts, modelHelp);
  addOutputs(app, flags, outHelp);
  addVariables(app, flags);
}

void addNumericsFlags(CLI::App &app, RunFlags &flags, RunTexts &texts) {
  app.add_option("--nan", texts.nan,
                 "When a fetched scalar is NaN or Inf: error, warn or ignore");
  app.add_flag("--check-numerics", flags.checkNumerics,
               "Look for NaN and Inf in all values of every step; slow");
}

runtime::Status convertRunFlags(const RunTexts &texts, RunFlags &flags) {
  GRAPHC_ASSIGN_OR_RETURN(flags.data, splitNamed("--data", texts.data));
  GRAPHC_ASSIGN_OR_RETURN(flags.feeds, splitNamed("--feed", texts.feeds));
  GRAPHC_ASSIGN_OR_RETURN(flags.nan,
                          parseChoice("--nan", texts.nan, kNanPolicies));
  return runtime::Status::ok();
}

runtime::Status checkRunFlags(const RunFlags &flags) {
  if (flags.isInit && !flags.loadFile.empty())
    return runtime::invalidArgument(
        "--init makes all values anew and --load reads them: give one of them");
  if (flags.checkpointEvery > 0 && flags.checkpointFile.empty())
    return runtime::invalidArgument(
        "--checkpoint-every needs --checkpoint=FILE");
  return runtime::Status::ok();
}

} // namespace graphc::flags
