// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/trace/TimelineTable.h"

#include "runtime/format/ModelNames.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace graphc::run {

using namespace runtime;

namespace {

/// Times of one program, in nanoseconds of all steps together.
struct ProgramSums {
  std::vector<int64_t> run; ///< by instruction
  int64_t waits = 0;
  std::set<uint64_t> steps;
};

ProgramSums sumsOf(const format::Program &program,
                   const std::vector<TimelineEvent> &events) {
  ProgramSums sums;
  sums.run.resize(program.instructions()->size());
  for (const TimelineEvent &event : events) {
    int64_t nanos = event.endNanos - event.beginNanos;
    if (event.kind == TimelineEvent::Kind::Wait)
      sums.waits += nanos;
    else if (event.kind == TimelineEvent::Kind::Run)
      sums.run[event.number] += nanos;
    sums.steps.insert(event.step);
  }
  return sums;
}

void printRow(double micros, double share, const std::string &name) {
  std::fprintf(stderr, "%10.1f %6.1f  %s\n", micros, share, name.c_str());
}

void printProgram(const format::Program &program, const ProgramSums &sums) {
  auto perStep = [&](int64_t nanos) {
    return static_cast<double>(nanos) * 1e-3 /
           static_cast<double>(sums.steps.size());
  };
  double all = perStep(sums.waits);
  for (int64_t nanos : sums.run)
    all += perStep(nanos);
  auto print = [&](int64_t nanos, const std::string &name) {
    double micros = perStep(nanos);
    printRow(micros, all > 0 ? 100 * micros / all : 0, name);
  };
  for (uint32_t i = 0; i < sums.run.size(); ++i) {
    const auto *name = program.instructions()->Get(i)->name();
    print(sums.run[i],
          "#" + std::to_string(i) + " " + (name ? name->str() : ""));
  }
  print(sums.waits, "waits");
  printRow(all, 100, "all");
}

} // namespace

void printTimeline(const Model &model, const format::Graph &graph,
                   const RunTimeline &timeline) {
  std::fprintf(stderr, "%10s %6s  instruction\n", "us/step", "%");
  for (const TaskTimeline &task : timeline.tasks)
    for (uint32_t i = 0; i < graph.programs()->size(); ++i) {
      if (i >= task.tracks.size() || task.tracks[i].empty())
        continue;
      const format::Program &program = *graph.programs()->Get(i);
      std::fprintf(stderr, "%s:\n",
                   std::string(deviceOf(model.index(), program)).c_str());
      printProgram(program, sumsOf(program, task.tracks[i]));
    }
}

} // namespace graphc::run
