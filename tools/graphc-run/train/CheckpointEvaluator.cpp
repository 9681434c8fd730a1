// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/train/CheckpointEvaluator.h"

#include "runtime/base/StopSignal.h"
#include "runtime/cluster/ClusterSpec.h"
#include "runtime/session/RunProgress.h"
#include "runtime/state/ChooseGraph.h"
#include "tools/graphc-run/RunTarget.h"
#include "tools/graphc-run/summary/RunSummaries.h"
#include "tools/graphc-run/train/GraphEvaluation.h"
#include "tools/graphc-run/train/TrainDriver.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace graphc::run {

using namespace runtime;

namespace {

namespace fs = std::filesystem;

/// Waits in short parts; false: this process is to end.
bool sleepSeconds(double seconds) {
  auto until =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!stopRequested() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return !stopRequested();
}

/// The training has ended with this checkpoint.
bool isLast(const CheckpointManifest &manifest) {
  StatusOr<std::optional<int64_t>> left =
      readProgress("", manifest.texts, manifest.step);
  return left.isOk() && !*left;
}

/// Makes DIR/best a copy of a checkpoint, of links to its files where the disk
/// has such: it stays when the training removes the checkpoint.
Status keepBest(const std::string &directory, const std::string &folder) {
  std::string best = directory + "/best", temporary = best + ".tmp",
              old = best + ".old";
  std::error_code error;
  fs::remove_all(temporary, error);
  fs::create_directories(temporary, error);
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    fs::path to = fs::path(temporary) / it->path().filename();
    std::error_code linked;
    fs::create_hard_link(it->path(), to, linked);
    if (linked)
      fs::copy_file(it->path(), to, error);
  }
  if (!error && fs::exists(best)) {
    fs::remove_all(old, error);
    fs::rename(best, old, error);
  }
  if (!error)
    fs::rename(temporary, best, error);
  if (error)
    return Status(StatusCode::Unknown, "cannot keep '" + folder + "' as '" +
                                           best + "': " + error.message());
  fs::remove_all(old, error);
  return Status::ok();
}

class Evaluator {
public:
  Evaluator(RunTarget &target, const RunOptions &options,
            const std::string &graph)
      : session(target.session()), evaluation(session, graph, options),
        options(options), directory(options.train.directory) {}

  StatusOr<int> run();

private:
  Status evaluate(const SavedCheckpoint &checkpoint);
  Status findBest();

  Session &session;
  GraphEvaluation evaluation;
  const RunOptions &options;
  std::string directory;
  std::optional<double> best;
};

/// A training that ended before has its best one already.
Status Evaluator::findBest() {
  if (!options.train.best)
    return Status::ok();
  std::map<std::string, double> metrics = metricsOf(directory + "/best");
  auto found = metrics.find(options.train.best->metric);
  if (found != metrics.end())
    best = found->second;
  return Status::ok();
}

Status Evaluator::evaluate(const SavedCheckpoint &checkpoint) {
  using Metrics = std::map<std::string, double>;
  GRAPHC_TRY(session.load(checkpoint.folder));
  GRAPHC_ASSIGN_OR_RETURN(Metrics metrics, evaluation.run(checkpoint.step));
  if (!options.isQuiet) {
    std::printf("step %llu: %s\n",
                static_cast<unsigned long long>(checkpoint.step),
                metricsText(metrics).c_str());
    std::fflush(stdout);
  }
  if (options.summaries)
    options.summaries->addMetrics(metrics, checkpoint.step);
  GRAPHC_TRY(addMetrics(systemFiles(), checkpoint.folder, metrics));
  if (!options.train.best)
    return Status::ok();
  auto found = metrics.find(options.train.best->metric);
  if (found == metrics.end())
    return invalidArgument("the evaluation has no metric '" +
                           options.train.best->metric + "' (--best); it has " +
                           metricsText(metrics));
  double value = found->second;
  bool isBetter =
      std::isfinite(value) &&
      (!best ||
       (options.train.best->isLargerBetter ? value > *best : value < *best));
  if (!isBetter)
    return Status::ok();
  best = value;
  return keepBest(directory, checkpoint.folder);
}

StatusOr<int> Evaluator::run() {
  GRAPHC_TRY(evaluation.open());
  GRAPHC_TRY(findBest());
  std::optional<uint64_t> evaluated;
  auto started = std::chrono::steady_clock::now();
  bool hasWaited = false;
  while (!stopRequested()) {
    // Looked for first: what is the latest then stays so.
    bool hasEnded = endOfTraining(directory).has_value();
    StatusOr<SavedCheckpoint> latest = latestCheckpoint(directory, nullptr);
    if (!latest.isOk() && latest.status().code() != StatusCode::NotFound)
      return latest.status();
    if (latest.isOk() && latest->step != evaluated) {
      Status status = evaluate(*latest);
      // The training may have removed it meanwhile.
      std::error_code error;
      if (!status.isOk() && !stopRequested() &&
          fs::exists(latest->folder, error))
        return status;
      if (status.isOk())
        evaluated = latest->step;
      continue;
    }
    StatusOr<CheckpointManifest> manifest =
        latest.isOk() ? readManifest(latest->folder)
                      : StatusOr<CheckpointManifest>(latest.status());
    if (manifest.isOk() && (hasEnded || isLast(*manifest)))
      return 0;
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - started;
    if (options.train.maxSeconds > 0 &&
        spent.count() >= options.train.maxSeconds) {
      printNote(options, "the evaluation ends: its time is over");
      return 0;
    }
    if (!evaluated && !hasWaited)
      printNote(options,
                "waits for the first checkpoint in '" + directory + "'");
    hasWaited = true;
    sleepSeconds(options.train.evalSeconds);
  }
  return kExitInterrupted;
}

} // namespace

StatusOr<bool> isEvaluator(const RunOptions &options) {
  if (options.train.isEvaluator)
    return true;
  const char *text = std::getenv("TF_CONFIG");
  if (!text || !*text)
    return false;
  GRAPHC_ASSIGN_OR_RETURN(ClusterRole role, parseTfConfig(text));
  return role.isEvaluator;
}

StatusOr<int> runEvaluator(const RunOptions &options) {
  catchStopSignals();
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<RunTarget> target,
                          openLocalTarget(options));
  GRAPHC_ASSIGN_OR_RETURN(const format::Graph *graph,
                          target->session().chooseGraph(options.graph));
  return Evaluator(*target, options, sourceName(*graph)).run();
}

} // namespace graphc::run
