// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/StepSummaries.h"

#include "runtime/base/Clock.h"
#include "runtime/state/WholeVariables.h"
#include "runtime/summary/ModelNodes.h"
#include "tools/graphc-run/RunTarget.h"
#include "tools/graphc-run/Values.h"

#include <utility>

namespace graphc::run {

using namespace runtime;

namespace {

bool isFloat(const TensorType &type) {
  return type.dtype == DType::Float32 || type.dtype == DType::Float64;
}

/// Elements that are not finite are in no bucket.
HistogramCounts histogramOf(const TensorType &type,
                            std::span<const std::byte> bytes) {
  HistogramCounts counts;
  for (size_t i = 0; i < bytes.size() / dtypeSize(type.dtype); ++i)
    (void)counts.add(elementAt(type.dtype, bytes, i));
  return counts;
}

/// A folder's events; those that it has of later steps than `step`, which the
/// run goes on after, do not count any more.
StatusOr<std::unique_ptr<SummaryWriter>> openEvents(const std::string &folder,
                                                    uint64_t step) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<SummaryWriter> events,
                          SummaryWriter::open(folder));
  events->addRestart(static_cast<int64_t>(step) + 1);
  return events;
}

} // namespace

StatusOr<std::unique_ptr<StepSummaries>>
StepSummaries::open(Session &session, const format::Graph &graph,
                    int64_t examplesPerStep, const RunOptions &options) {
  if (options.summaryDir.empty() && options.log.empty())
    return std::unique_ptr<StepSummaries>();
  if (options.summarizesVariables && session.hasTasks())
    return invalidArgument("--summary-variables is for runs in one process: "
                           "on a cluster the tasks have the variables");
  std::unique_ptr<StepSummaries> made(
      new StepSummaries(session, examplesPerStep, options));
  if (!options.summaryDir.empty()) {
    uint64_t step = session.position(graph.name()->str()).step;
    GRAPHC_ASSIGN_OR_RETURN(made->events, openEvents(options.summaryDir, step));
    made->events->addGraph(modelNodes(session.model(), graph));
  }
  if (options.log.empty())
    return made;
  GRAPHC_ASSIGN_OR_RETURN(made->log, StepLog::open(options.log));
  return made;
}

void StepSummaries::keep(const Status &status) {
  if (status.isOk() || !failure.isOk())
    return;
  failure = status;
  printNote(options, status.message() + "; the run goes on without");
}

void StepSummaries::onStep(const StepView &step) {
  if (!failure.isOk())
    return;
  if (log)
    keep(log->add(step));
  if (!events || step.step() % options.summarySteps != 0)
    return;
  keep(write(step));
  // What cannot be written now is tried again.
  if (!events->status().isOk() && !std::exchange(hasNoted, true))
    printNote(options, events->status().message());
}

Status StepSummaries::write(const StepView &step) {
  for (size_t i = 0; i < step.size(); ++i) {
    TensorType type = step.type(i);
    if (type.dtype == DType::String)
      continue;
    std::span<const std::byte> bytes = step.bytes(i);
    auto at = static_cast<int64_t>(step.step());
    if (type.shape.empty())
      events->addScalar(step.name(i), elementAt(type.dtype, bytes, 0), at);
    else
      events->addHistogram(step.name(i), histogramOf(type, bytes), at);
  }
  if (options.summarizesVariables)
    GRAPHC_TRY(writeVariables(static_cast<int64_t>(step.step())));
  writeRates(static_cast<int64_t>(step.step()));
  return Status::ok();
}

Status StepSummaries::writeVariables(int64_t step) {
  for (const NamedType &variable : wholeVariables(session.model())) {
    if (!isFloat(variable.type))
      continue;
    GRAPHC_ASSIGN_OR_RETURN(HostTensor value,
                            session.readVariable(variable.name));
    events->addHistogram(variable.name, histogramOf(value.type, value.bytes),
                         step);
  }
  return Status::ok();
}

void StepSummaries::writeRates(int64_t step) {
  int64_t now = nowNanos();
  if (ratedNanos > 0 && now > ratedNanos && step > ratedStep) {
    double rate = static_cast<double>(step - ratedStep) /
                  (static_cast<double>(now - ratedNanos) * 1e-9);
    events->addScalar("global_step/sec", rate, step);
    if (examplesPerStep > 0)
      events->addScalar("examples/sec",
                        rate * static_cast<double>(examplesPerStep), step);
  }
  ratedStep = step;
  ratedNanos = now;
}

Status StepSummaries::finish() {
  if (events)
    keep(events->close());
  if (log)
    keep(log->close());
  return failure;
}

Status EvaluationEvents::add(uint64_t step,
                             const std::map<std::string, double> &metrics) {
  if (!events) {
    StatusOr<std::unique_ptr<SummaryWriter>> opened =
        openEvents(directory + "/eval", step > 0 ? step - 1 : 0);
    GRAPHC_TRY(opened.status());
    events = std::move(*opened);
  }
  for (const auto &[name, value] : metrics)
    events->addScalar(name.substr(name.find('/') + 1), value,
                      static_cast<int64_t>(step));
  return events->flush();
}

} // namespace graphc::run
