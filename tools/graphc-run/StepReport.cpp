// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/StepReport.h"

#include "runtime/base/Clock.h"
#include "tools/graphc-run/Values.h"
#include "tools/graphc-run/monitor/Console.h"

#include <cstdio>

namespace graphc::run {

using namespace runtime;

namespace {

bool isNumberScalar(const TensorType &type) {
  return type.shape.empty() && type.dtype != DType::String;
}

bool isFloatScalar(const TensorType &type) {
  return isNumberScalar(type) &&
         (type.dtype == DType::Float32 || type.dtype == DType::Float64);
}

/// "loss = 0.1234, accuracy = 0.9", of the number scalars.
std::string scalarsText(const StepView &step) {
  std::string text;
  for (size_t i = 0; i < step.size(); ++i)
    if (isNumberScalar(step.type(i)))
      text += (text.empty() ? "" : ", ") + std::string(step.name(i)) + " = " +
              formatValue(step.type(i), step.bytes(i));
  return text;
}

} // namespace

StepReport::StepReport(const RunOptions &options, int64_t plannedSteps,
                       int64_t examplesPerStep, bool areTogether)
    : options(options), plannedSteps(plannedSteps),
      examplesPerStep(examplesPerStep), areTogether(areTogether),
      startNanos(nowNanos()), lineNanos(startNanos),
      progress(options.isQuiet || !options.showsProgress
                   ? ProgressMode{}
                   : progressMode(options.progress, console::isTerminal(),
                                  options.train.isTrain),
               plannedSteps, examplesPerStep, startNanos),
      endNanos(startNanos) {}

StepReport::~StepReport() {
  if (progress.isInPlace())
    console::clearStatus();
}

void StepReport::addToMeans(const StepView &step) {
  size_t next = 0;
  for (size_t i = 0; i < step.size(); ++i) {
    TensorType type = step.type(i);
    if (!isFloatScalar(type))
      continue;
    if (next == means.size())
      means.push_back({std::string(step.name(i)), 0});
    means[next++].sum += elementAt(type.dtype, step.bytes(i), 0);
  }
}

std::string StepReport::rates(int64_t nanos, int64_t steps) const {
  if (examplesPerStep == 0 || nanos <= 0 || steps <= 0)
    return "";
  double seconds = static_cast<double>(nanos) * 1e-9;
  char text[80];
  std::snprintf(text, sizeof text, "%.0f examples/s, %.3g s/batch",
                static_cast<double>(examplesPerStep * steps) / seconds,
                seconds / static_cast<double>(steps));
  return text;
}

void StepReport::printLine(const StepView &step, int64_t now) {
  std::string text = scalarsText(step);
  // The time of a single step is mostly that of touching memory first.
  std::string rate =
      plannedSteps == 1 ? "" : rates(now - lineNanos, stepCount - lineSteps);
  if (!text.empty() && !rate.empty())
    text += ", ";
  text += rate;
  lineNanos = now;
  lineSteps = stepCount;
  if (text.empty() || options.isQuiet)
    return;
  console::printLine(stdout, options.label + "step " +
                                 std::to_string(step.step()) + ": " + text);
}

void StepReport::printProgress(const StepView &step, int64_t at, int64_t now) {
  std::string text = options.label + progress.text(step.step(), stepCount, at,
                                                   now, scalarsText(step));
  if (progress.isInPlace())
    console::showStatus(text);
  else
    console::printLine(stdout, text);
}

void StepReport::onStep(const StepView &step, bool isLast) {
  // Steps of a cluster arrive together; their times are those of its tasks.
  int64_t now = step.seconds()
                    ? endNanos + static_cast<int64_t>(*step.seconds() * 1e9)
                    : nowNanos();
  endNanos = now;
  if (stepCount++ == 0)
    firstNanos = now;
  // The first step touches its memory for the first time and loads pages of
  // code: it tells nothing about the others.
  bool isTimed = !options.jsonFile.empty();
  if (isTimed && stepCount > 1)
    stepTimes.add(now - leftNanos);
  if (options.printMeans)
    addToMeans(step);
  bool isDue = options.printEvery > 0 && stepCount % options.printEvery == 0;
  if (isDue || isLast) {
    if (!options.jsonFile.empty()) {
      nlohmann::ordered_json values = nlohmann::ordered_json::object();
      for (size_t i = 0; i < step.size(); ++i)
        if (isNumberScalar(step.type(i)))
          values[std::string(step.name(i))] =
              valueAsJson(step.type(i), step.bytes(i));
      history.push_back({step.step(), values});
    }
    printLine(step, now);
  } else if (int64_t clock = nowNanos(); progress.isDue(clock)) {
    printProgress(step, now, clock);
  }
  // What was done here is no part of the next step.
  if (isTimed)
    leftNanos = nowNanos();
  if (!isLast)
    return;
  for (size_t i = 0; i < step.size(); ++i)
    last.push_back({std::string(step.name(i)), step.tensor(i)});
}

void StepReport::printResults() const {
  for (const NamedTensor &result : last)
    if (!isNumberScalar(result.tensor.type))
      std::printf("%s%s = %s\n", options.label.c_str(), result.name.c_str(),
                  formatValue(result.tensor.type, result.tensor.bytes).c_str());
  if (means.empty() || stepCount == 0)
    return;
  std::string text;
  for (const Mean &mean : means)
    text += (text.empty() ? "" : ", ") + mean.name + " = " +
            formatNumber(mean.sum / static_cast<double>(stepCount));
  std::printf("%smean over %lld steps: %s\n", options.label.c_str(),
              static_cast<long long>(stepCount), text.c_str());
}

void StepReport::finish() {
  if (options.isQuiet)
    return;
  if (progress.isInPlace())
    console::clearStatus();
  printResults();
  std::fflush(stdout);
}

void StepReport::addStepSeconds(nlohmann::ordered_json &json) const {
  if (stepTimes.empty())
    return;
  double seconds = static_cast<double>(endNanos - firstNanos) * 1e-9;
  if (areTogether)
    json["step_seconds"]["mean"] = seconds / static_cast<double>(stepCount - 1);
  else
    json["step_seconds"] = {
        {"median", stepTimes.median() * 1e-9},
        {"min", static_cast<double>(stepTimes.least()) * 1e-9}};
}

void StepReport::addTo(nlohmann::ordered_json &json) const {
  json["fetches"] = nlohmann::ordered_json::object();
  for (const NamedTensor &result : last)
    json["fetches"][result.name] =
        valueAsJson(result.tensor.type, result.tensor.bytes);
  for (const Mean &mean : means)
    json["mean"][mean.name] = mean.sum / static_cast<double>(stepCount);
  json["history"] = history;
  double seconds = static_cast<double>(endNanos - startNanos) * 1e-9;
  json["seconds"] = seconds;
  addStepSeconds(json);
  if (examplesPerStep && seconds > 0)
    json["examples_per_second"] =
        static_cast<double>(examplesPerStep * stepCount) / seconds;
}

} // namespace graphc::run
