// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/debug/ValueDebugger.h"

#include "runtime/base/Glob.h"
#include "runtime/base/Suggest.h"
#include "runtime/base/Texts.h"
#include "runtime/inspect/DumpFolder.h"
#include "runtime/inspect/NanBreak.h"
#include "runtime/inspect/ValueStats.h"
#include "tools/graphc-run/debug/MissingValues.h"

#include <algorithm>
#include <cstdio>

namespace graphc::run {

using namespace runtime;

namespace {

nlohmann::ordered_json statsAsJson(uint64_t step, const KeptValue &value,
                                   const ValueStats &stats) {
  return {{"step", step},
          {"name", value.name},
          {"type", value.type.toString()},
          {"count", stats.count},
          {"min", stats.min},
          {"max", stats.max},
          {"mean", stats.mean},
          {"std", stats.deviation},
          {"norm", stats.norm},
          {"zeros", stats.zeros},
          {"nan", stats.nans},
          {"inf", stats.infs}};
}

/// The values that fit the patterns of a flag.
StatusOr<std::vector<KeptValue>>
choose(const char *flag, const std::vector<std::string> &patterns,
       const Model &model, const format::Graph &graph,
       const std::vector<KeptValue> &kept,
       const std::vector<std::string> &unkept,
       const std::function<void(const std::string &)> &note) {
  std::vector<std::string> missing;
  std::vector<KeptValue> chosen = selectValues(kept, patterns, missing);
  if (!missing.empty())
    return missingValue(flag, missing.front(), model, graph, unkept, kept);
  std::vector<std::string> left;
  for (const std::string &name : unkept)
    if (std::any_of(patterns.begin(), patterns.end(),
                    [&](const std::string &pattern) {
                      return matchesOpName(pattern, name);
                    }))
      left.push_back(name);
  if (!left.empty())
    note(std::string(flag) + " leaves out " + std::to_string(left.size()) +
         (left.size() == 1 ? " op" : " ops") +
         " whose values are in no memory, the first is " + quote(left.front()) +
         "; 'graphc --keep=PATTERN' keeps them");
  return chosen;
}

} // namespace

Status
ValueDebugger::begin(const Model &model, const format::Graph &graph,
                     const std::function<void(const std::string &)> &note) {
  std::vector<KeptValue> kept = keptValues(model, graph);
  std::vector<std::string> unkept = unkeptOps(model, graph, kept);
  if (!flags.watch.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(
        std::vector<KeptValue> values,
        choose("--watch", flags.watch, model, graph, kept, unkept, note));
    addWatch(graph, std::move(values));
  }
  if (!flags.dumpFolder.empty()) {
    Status status = prepareDumps(flags.dumpFolder);
    GRAPHC_TRY(status.annotate("--dump-dir"));
  }
  if (!flags.dump.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(
        std::vector<KeptValue> values,
        choose("--dump", flags.dump, model, graph, kept, unkept, note));
    GRAPHC_TRY(addDump(graph, std::move(values)));
  }
  if (!flags.breaksOnNan)
    return Status::ok();
  auto stop = std::make_unique<NanBreak>(model, graph, flags.dumpFolder);
  isStopped = [stop = stop.get()] { return stop->hasStopped(); };
  all.push_back(std::move(stop));
  return Status::ok();
}

void ValueDebugger::addWatch(const format::Graph &graph,
                             std::vector<KeptValue> values) {
  for (const KeptValue &value : values) {
    nameWidth = std::max(nameWidth, static_cast<int>(value.name.size()));
    typeWidth =
        std::max(typeWidth, static_cast<int>(value.type.toString().size()));
  }
  all.push_back(std::make_unique<ValueObserver>(
      graph, std::move(values), StepRange{1, UINT64_MAX, flags.watchEvery},
      [this](uint64_t step, const KeptValue &value,
             std::span<const std::byte> bytes) {
        watch(step, value, bytes);
        return Status::ok();
      },
      [](uint64_t) { return Status::ok(); }));
}

void ValueDebugger::watch(uint64_t step, const KeptValue &value,
                          std::span<const std::byte> bytes) {
  ValueStats stats = statsOf(value.type.dtype, bytes);
  if (keepsJson)
    watched.push_back(statsAsJson(step, value, stats));
  if (isQuiet)
    return;
  std::printf("watch step %llu: %-*s %-*s %s\n",
              static_cast<unsigned long long>(step), nameWidth,
              escape(value.name).c_str(), typeWidth,
              value.type.toString().c_str(), statsText(stats).c_str());
}

Status ValueDebugger::addDump(const format::Graph &graph,
                              std::vector<KeptValue> values) {
  all.push_back(std::make_unique<ValueObserver>(
      graph, std::move(values), flags.dumpSteps,
      [this](uint64_t, const KeptValue &value,
             std::span<const std::byte> bytes) {
        dumped.push_back(
            {value.name, {value.type, {bytes.begin(), bytes.end()}}});
        return Status::ok();
      },
      [this](uint64_t step) {
        Status status = writeDump(dumpPath(flags.dumpFolder, step), dumped);
        dumped.clear();
        return status.annotate("--dump");
      }));
  return Status::ok();
}

void ValueDebugger::printNames(const Model &model, const format::Graph &graph) {
  std::vector<KeptValue> kept = keptValues(model, graph);
  for (const KeptValue &value : kept)
    std::printf(
        "%s %s%s\n", escape(value.name).c_str(), value.type.toString().c_str(),
        value.line ? (" line " + std::to_string(value.line)).c_str() : "");
  size_t unkept = unkeptOps(model, graph, kept).size();
  if (unkept > 0)
    std::printf("# %zu more %s within a kernel; 'graphc --keep=PATTERN' keeps "
                "them\n",
                unkept,
                unkept == 1 ? "op has its value" : "ops have their values");
}

bool ValueDebugger::hasStopped() const { return isStopped && isStopped(); }

void ValueDebugger::addTo(nlohmann::ordered_json &json) const {
  if (!flags.watch.empty())
    json["watch"] = watched;
}

bool ValueDebugger::wants(const format::Graph &graph, uint64_t step) {
  wanted.clear();
  dumped.clear();
  for (const auto &each : all)
    if (each->wants(graph, step))
      wanted.push_back(each.get());
  return !wanted.empty();
}

Status ValueDebugger::onBegin(const StepValues &values) {
  for (StepObserver *each : wanted)
    GRAPHC_TRY(each->onBegin(values));
  return Status::ok();
}

Status ValueDebugger::onBefore(InstructionId next, const StepValues &values) {
  for (StepObserver *each : wanted)
    GRAPHC_TRY(each->onBefore(next, values));
  return Status::ok();
}

Status ValueDebugger::onAfter(InstructionId done, bool isSeen,
                              const StepValues &values) {
  for (StepObserver *each : wanted)
    GRAPHC_TRY(each->onAfter(done, isSeen, values));
  return Status::ok();
}

Status ValueDebugger::onEnd(const StepValues &values) {
  for (StepObserver *each : wanted)
    GRAPHC_TRY(each->onEnd(values));
  return Status::ok();
}

} // namespace graphc::run
