// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/monitor/RunMonitor.h"

#include "runtime/base/Clock.h"
#include "runtime/metrics/MetricNames.h"
#include "runtime/metrics/ProcessMetrics.h"
#include "tools/flags/MetricsFlag.h"
#include "tools/graphc-run/Values.h"

namespace graphc::run {

using namespace runtime;

RunMonitor::RunMonitor() : all({{"task", "client"}}), saved(all) {
  addProcessMetrics(all);
}

StatusOr<std::shared_ptr<RunMonitor>>
RunMonitor::open(const std::string &address) {
  std::shared_ptr<RunMonitor> made(new RunMonitor());
  GRAPHC_ASSIGN_OR_RETURN(made->exposer,
                          flags::serveMetrics(address, [&registry = made->all] {
                            return registry.collect();
                          }));
  return made;
}

StepCounts::StepCounts(std::shared_ptr<RunMonitor> given,
                       const std::string &name, int64_t examplesPerStep)
    : monitor(std::move(given)), graph(name),
      examplesPerStep(static_cast<double>(examplesPerStep)),
      begunNanos(nowNanos()) {
  if (!monitor)
    return;
  MetricRegistry &all = monitor->registry();
  MetricLabels labels = {{"graph", graph}};
  steps = &all.value(metrics::kSteps, labels);
  last = &all.value(metrics::kLastStep, labels);
  examples = &all.value(metrics::kExamples, labels);
  seconds = &all.histogram(metrics::kStepSeconds, labels);
}

void StepCounts::onStep(const StepView &step) {
  if (!monitor)
    return;
  int64_t now = nowNanos();
  // Steps of tasks arrive together.
  seconds->observe(
      step.seconds().value_or(static_cast<double>(now - begunNanos) * 1e-9));
  begunNanos = now;
  steps->add(1);
  last->set(static_cast<double>(step.step()));
  examples->add(examplesPerStep);
  for (size_t i = 0; i < step.size(); ++i) {
    TensorType type = step.type(i);
    if (!type.shape.empty() ||
        (type.dtype != DType::Float32 && type.dtype != DType::Float64))
      continue;
    MetricValue *&value = fetches[i];
    if (!value)
      value = &monitor->registry().value(
          metrics::kFetch,
          {{"graph", graph}, {"fetch", std::string(step.name(i))}});
    value->set(elementAt(type.dtype, step.bytes(i), 0));
  }
}

} // namespace graphc::run
