// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/flags/ClientFlags.h"

#include <CLI/CLI.hpp>

#include <charconv>

namespace graphc::flags {

using runtime::invalidArgument;
using runtime::Status;

namespace {

/// Some thirty years, which nanoseconds can count.
constexpr double kMaxSeconds = 1e9;
constexpr int64_t kMaxCount = int64_t{1} << 40;

bool isNumber(const std::string &text) {
  uint32_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void addWorker(CLI::App &app, ClientFlags &flags) {
  app.add_option("--worker", flags.worker,
                 "Whose instance of a between-graph plan to run: a number, "
                 "which joins the clients of other workers whichever came "
                 "first, or all (default: TF_CONFIG's; all with --spawn and "
                 "--local-cluster)")
      ->group(kClusterGroup);
  auto setChief = [&flags](bool isChief) { flags.isChief = isChief; };
  CLI::Option *chief = app.add_flag_callback(
                              "--chief", [setChief] { setChief(true); },
                              "Give the variables their first values if they "
                              "have none (default: worker 0 does)")
                           ->group(kClusterGroup);
  app.add_flag_callback(
         "--no-chief", [setChief] { setChief(false); },
         "Wait until the chief has given the variables their first values")
      ->group(kClusterGroup)
      ->excludes(chief);
  app.add_flag("--whole-data", flags.wholeData,
               "Each worker's instance reads all rows of its files (default: "
               "its share of them)")
      ->group(kClusterGroup);
}

void addRecovery(CLI::App &app, ClientFlags &flags) {
  app.add_option("--recover", flags.recoveries,
                 "When a task is lost, wait for it and go on from the last "
                 "checkpoint, at most so many times")
      ->group(kClusterGroup)
      ->check(CLI::Range(int64_t{0}, kMaxCount));
}

} // namespace

bool ClientFlags::needCluster() const {
  return !worker.empty() || isChief || recoveries > 0 ||
         stallSeconds != ClientFlags().stallSeconds || wholeData;
}

void addClientFlags(CLI::App &app, ClientFlags &flags) {
  addWorker(app, flags);
  // Not only of clusters, hence in no group.
  app.add_option("--deadline", flags.deadlineSeconds,
                 "Seconds that the run may take, and on a cluster each other "
                 "operation, too")
      ->check(CLI::PositiveNumber & CLI::Range(0.0, kMaxSeconds));
  app.add_option("--stall", flags.stallSeconds,
                 "Fail when a step makes no progress for so many seconds")
      ->group(kClusterGroup)
      ->check(CLI::PositiveNumber);
  addRecovery(app, flags);
}

Status checkClientFlags(const ClientFlags &flags, bool hasCheckpoint) {
  if (!flags.worker.empty() && flags.worker != "all" && !isNumber(flags.worker))
    return invalidArgument("--worker takes a number or all, not '" +
                           flags.worker + "'");
  bool isOther = flags.isChief ? !*flags.isChief
                               : isNumber(flags.worker) && flags.worker != "0";
  if (flags.recoveries > 0 && !hasCheckpoint && !isOther)
    return invalidArgument("--recover needs a --checkpoint to go on from");
  return Status::ok();
}

void addClusterFlag(CLI::App &app, std::string &cluster) {
  app.add_option("--cluster", cluster,
                 "The tasks of the cluster: a JSON file, or its text")
      ->group(kClusterGroup);
}

} // namespace graphc::flags
