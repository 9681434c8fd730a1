// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/summary/RunSummaries.h"

#include "runtime/base/Clock.h"
#include "runtime/format/ModelNames.h"
#include "runtime/state/ChooseGraph.h"
#include "runtime/state/GraphPorts.h"
#include "tools/graphc-run/RunTarget.h"
#include "tools/graphc-run/Values.h"
#include "tools/graphc-run/summary/OpSummaries.h"
#include "tools/graphc-run/summary/ReportNodes.h"
#include "tools/graphc-run/train/TrainDriver.h"

#include <algorithm>
#include <filesystem>

namespace graphc::run {

using namespace runtime;

namespace {

/// Images of a batch that are written.
constexpr int64_t kMaxImages = 3;

/// Images of one byte per channel: [height, width], [height, width, channels]
/// or a batch of the latter.
bool isImage(const TensorType &type) {
  size_t rank = type.shape.size();
  if (type.dtype != DType::UInt8 || rank < 2 || rank > 4)
    return false;
  int64_t channels = rank == 2 ? 1 : type.shape.back();
  return channels == 1 || channels == 3 || channels == 4;
}

bool isScalar(const TensorType &type) { return type.shape.empty(); }

/// The graph, or the model where it has only one.
std::string runName(const RunOptions &options) {
  return options.graph.empty()
             ? std::filesystem::path(options.model).stem().string()
             : options.graph;
}

} // namespace

StatusOr<std::shared_ptr<RunSummaries>>
RunSummaries::open(const RunOptions &options) {
  const SummaryFlags &flags = options.summary;
  std::shared_ptr<RunSummaries> opened(new RunSummaries(options));
  if (!flags.directory.empty()) {
    // Of the file, since what is made of it for a number of workers or for the
    // host has no report.
    GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                            Model::open(options.model));
    StatusOr<report::Report> report = report::Report::of(*model);
    if (report.isOk())
      opened->report = std::move(*report);
    GRAPHC_ASSIGN_OR_RETURN(opened->writer,
                            SummaryWriter::open(flags.directory));
  }
  if (flags.logFile.empty())
    return opened;
  bool goesOn = options.training && options.training->goesOn();
  if (flags.logForm == SummaryFlags::LogForm::Mlflow) {
    GRAPHC_ASSIGN_OR_RETURN(
        opened->mlflow,
        MlflowLog::open(flags.logFile, {runName(options), options.model,
                                        options.train.directory, goesOn}));
  } else {
    GRAPHC_ASSIGN_OR_RETURN(opened->log, StepLog::open(flags, goesOn));
  }
  return opened;
}

void RunSummaries::addTo(CheckpointOptions &how) {
  if (!writer)
    return;
  how.summariesEvery = options.summary.every;
  how.onSummaries = [this](const format::Graph &variant,
                           const StepView &values) { addOps(variant, values); };
  if (!options.summary.hasVariables)
    return;
  how.visitEvery = options.summary.every;
  how.visit = [this](uint64_t step) { addVariables(step); };
}

void RunSummaries::begin(Session &opened, const format::Graph &trained) {
  session = &opened;
  graph = &trained;
  examplesPerStep = runtime::examplesPerStep(opened.model(), trained);
  tags.clear();
  if (const format::Graph *variant =
          findSummaryVariant(opened.model().index(), trained))
    for (const format::Summary *summary : *variant->summaries())
      tags.insert(summary->tag()->str());
  rateNanos = nowNanos();
  rateSteps = 0;
  rateSeconds = 0;
  if (mlflow)
    noteLog(mlflow->addParams(hparams()));
  if (writer)
    beginEvents();
}

void RunSummaries::beginEvents() {
  uint64_t done = session->position(graph->name()->str()).step;
  if (done > 0)
    writer->addRestart(static_cast<int64_t>(done) + 1);
  if (hasBegun)
    return;
  hasBegun = true;
  addGraph();
  std::vector<std::string> metrics;
  for (const format::Port *fetch : *graph->fetches()) {
    TensorType type = toTensorType(*fetch->type());
    bool isAsked = options.fetches.empty() ||
                   std::count(options.fetches.begin(), options.fetches.end(),
                              fetch->name()->str());
    if (isAsked && isScalar(type) && type.dtype != DType::String)
      metrics.push_back(fetch->name()->str());
  }
  writer->addHparams(hparams(), metrics);
  noteFailure(writer->flush());
}

void RunSummaries::addGraph() {
  if (!report)
    return;
  const report::ReportGraph *found =
      report->findGraph(graph->name()->string_view());
  if (!found)
    found = report->findGraph(sourceName(*graph));
  // Of several plans, the report has that for the most workers.
  if (!found)
    found = report->findGraph(graph->name()->str() + "#" +
                              std::to_string(options.workers));
  if (!found)
    return;
  std::vector<GraphDefNode> defined = reportNodes(*report, *found);
  for (const GraphDefNode &node : defined)
    nodes.insert(node.name);
  writer->addGraph(defined);
}

Hparams RunSummaries::hparams() const {
  Hparams all = {{"seed", static_cast<double>(options.seed)},
                 {"graph", sourceName(*graph)}};
  if (examplesPerStep > 0)
    all["batch"] = static_cast<double>(examplesPerStep);
  for (const auto &[name, value] : options.summary.hparams)
    all[name] = value;
  return all;
}

void RunSummaries::onStep(const StepView &step, bool isLast) {
  lastStep = static_cast<int64_t>(step.step());
  ++rateSteps;
  rateSeconds += step.seconds().value_or(0);
  if (lastStep % options.summary.every != 0 && !isLast)
    return;
  if (log)
    noteLog(log->add(step, wallSeconds()));
  if (mlflow)
    noteLog(mlflow->addStep(step, wallSeconds()));
  if (!writer)
    return;
  for (size_t i = 0; i < step.size(); ++i)
    addFetch(step, i);
  addRates(lastStep);
  noteFailure(writer->status());
}

void RunSummaries::addFetch(const StepView &step, size_t fetch) {
  std::string name(step.name(fetch));
  TensorType type = step.type(fetch);
  auto count = static_cast<int64_t>(step.step());
  if (tags.count(summaryTag(name)))
    return; // a summary operation shows that
  if (type.dtype == DType::String)
    writer->addText(name, formatValue(type, step.bytes(fetch)), count);
  else if (isScalar(type))
    writer->addScalar(name, elementAt(type.dtype, step.bytes(fetch), 0), count);
  else if (isImage(type))
    addImages(name, type, step.bytes(fetch), count);
  else
    addHistogram(name, type.dtype, step.bytes(fetch), count);
}

void RunSummaries::addImages(const std::string &name, const TensorType &type,
                             std::span<const std::byte> bytes, int64_t step) {
  size_t rank = type.shape.size(), first = rank == 4 ? 1 : 0;
  ImagePixels image;
  image.height = static_cast<uint32_t>(type.shape[first]);
  image.width = static_cast<uint32_t>(type.shape[first + 1]);
  image.channels = rank == 2 ? 1 : static_cast<uint32_t>(type.shape[first + 2]);
  int64_t images = rank == 4 ? type.shape[0] : 1;
  size_t size = images > 0 ? bytes.size() / static_cast<size_t>(images) : 0;
  for (int64_t i = 0; i < std::min(images, kMaxImages); ++i) {
    image.bytes = bytes.subspan(static_cast<size_t>(i) * size, size);
    // As TensorFlow names the images of a batch.
    noteFailure(writer->addImage(
        rank == 4 ? name + "/image/" + std::to_string(i) : name, image, step));
  }
}

void RunSummaries::addHistogram(const std::string &name, DType dtype,
                                std::span<const std::byte> bytes,
                                int64_t step) {
  HistogramCounts counts;
  Status status = counts.addAll(dtype, bytes);
  if (status.isOk())
    writer->addHistogram(name, counts, step);
  else if (skipped.insert(name).second)
    printNote(options, "no histogram of '" + name + "' at step " +
                           std::to_string(step) + ": " + status.message());
}

void RunSummaries::addRates(int64_t step) {
  int64_t now = nowNanos();
  double seconds = rateSeconds > 0
                       ? rateSeconds
                       : static_cast<double>(now - rateNanos) * 1e-9;
  if (seconds > 0) {
    double perSecond = static_cast<double>(rateSteps) / seconds;
    writer->addScalar("global_step/sec", perSecond, step);
    if (examplesPerStep > 0)
      writer->addScalar("examples/sec",
                        perSecond * static_cast<double>(examplesPerStep), step);
  }
  rateNanos = now;
  rateSteps = 0;
  rateSeconds = 0;
}

void RunSummaries::addVariables(uint64_t step) {
  std::set<std::string> seen; // of parts the whole is read, once
  for (const format::Variable *variable :
       *session->model().index().variables()) {
    // A mirror is equal to its original.
    if (!variable->trainable() || variable->mirror_of() != UINT32_MAX)
      continue;
    std::string name =
        (variable->part_of() ? variable->part_of() : variable->name())->str();
    if (!seen.insert(name).second)
      continue;
    StatusOr<HostTensor> value = session->readVariable(name);
    if (!value.isOk()) {
      if (skipped.insert(name).second)
        printNote(options, "no histogram of variable '" + name +
                               "': " + value.status().message());
      continue;
    }
    addHistogram("variables/" + name, value->type.dtype, value->bytes,
                 static_cast<int64_t>(step));
  }
  noteFailure(writer->status());
}

void RunSummaries::addOps(const format::Graph &variant, const StepView &values,
                          std::optional<uint64_t> step) {
  auto at = static_cast<int64_t>(step.value_or(values.step()));
  writeSummaries(*writer, variant, values, at,
                 [&](const std::string &tag, const Status &why) {
                   if (skipped.insert(tag).second)
                     printNote(options, "no summary '" + tag + "' at step " +
                                            std::to_string(at) + ": " +
                                            why.message());
                 });
  noteFailure(writer->status());
}

void RunSummaries::addMetrics(const std::map<std::string, double> &metrics,
                              uint64_t step) {
  if (mlflow)
    noteLog(mlflow->addMetrics(metrics, step, wallSeconds()));
  if (!writer)
    return;
  for (const auto &[name, value] : metrics)
    writer->addScalar(name, value, static_cast<int64_t>(step));
  noteFailure(writer->flush());
}

void RunSummaries::addTimes(std::vector<NodeTime> times) {
  if (!writer || times.empty())
    return;
  for (NodeTime &time : times) {
    size_t more = time.name.find(" and ");
    if (!nodes.count(time.name) && more != std::string::npos)
      time.name.resize(more);
  }
  writer->addRunMetadata("step " + std::to_string(lastStep), times, lastStep);
}

Status RunSummaries::finish() {
  // Summaries that could not be written for a while are not lost.
  if (mlflow)
    noteLog(mlflow->finish());
  if (writer) {
    if (hasBegun)
      writer->addSessionEnd(true);
    GRAPHC_TRY(writer->close());
  }
  return logFailure;
}

void RunSummaries::noteLog(const Status &status) {
  logFailure = status;
  noteFailure(status);
}

void RunSummaries::noteFailure(const Status &status) {
  if (status.isOk() || isFailureNoted)
    return;
  isFailureNoted = true;
  printNote(options, status.message() + "; the run goes on");
}

} // namespace graphc::run
