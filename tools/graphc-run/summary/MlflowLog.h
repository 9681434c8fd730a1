// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run in a folder of MLflow's file store, "mlruns".
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_MLFLOWLOG_H
#define GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_MLFLOWLOG_H

#include "runtime/session/RunRequest.h"
#include "runtime/summary/GraphEvent.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace graphc::run {

/// A run before its first step.
struct MlflowRun {
  std::string name;
  std::string source;   ///< the model.bin
  std::string trainDir; ///< empty: no training that may go on
  bool goesOn = false;  ///< the training of trainDir does
};

/// Adds a run to the experiment "Default" of a folder:
///
///     DIR/0/meta.yaml                 of the experiment; made where missing
///     DIR/0/RUN/meta.yaml             name, begin, end and how it ended
///     DIR/0/RUN/metrics/NAME          lines "MILLISECONDS VALUE STEP"
///     DIR/0/RUN/params/NAME           a text
///     DIR/0/RUN/tags/NAME             a text
///
/// Names may have '/', as MLflow's; what MLflow forbids is '_'. The first
/// failure is what each later call returns. Thread-safety: one call at a time.
class MlflowLog {
public:
  /// Begins a run, or goes on with the last one of that name and training.
  static runtime::StatusOr<std::unique_ptr<MlflowLog>>
  open(const std::string &directory, const MlflowRun &run);

  /// The run has failed, unless finish() was called.
  ~MlflowLog();

  runtime::Status addParams(const runtime::Hparams &params);
  /// Adds the scalar fetches; `time` in seconds since 1970.
  runtime::Status addStep(const runtime::StepView &step, double time);
  runtime::Status addMetrics(const std::map<std::string, double> &metrics,
                             uint64_t step, double time);
  runtime::Status finish();

private:
  MlflowLog(std::string experiment) : experiment(std::move(experiment)) {}
  bool findRun(const MlflowRun &run);
  runtime::Status beginRun(const MlflowRun &run);
  runtime::Status writeRun(int status, const std::string &end);
  runtime::Status addLine(const std::string &metric, double time,
                          const std::string &value, uint64_t step);

  std::string experiment; ///< folder
  std::string id, name, folder;
  int64_t startMillis = 0;
  bool isEnded = false;
  runtime::Status failure;
};

} // namespace graphc::run

#endif
