// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries out --watch, --dump and --break-on-nan during a run.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_VALUEDEBUGGER_H
#define GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_VALUEDEBUGGER_H

#include "runtime/data/HostTensor.h"
#include "runtime/executor/StepObserver.h"
#include "runtime/format/Model.h"
#include "tools/graphc-run/debug/DebugFlags.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

namespace graphc::run {

/// The observer of a session; passes on to one observer per flag.
/// Thread-safety: as StepObserver.
class ValueDebugger final : public runtime::StepObserver {
public:
  /// `keepsJson`: what is watched is kept for addTo().
  ValueDebugger(const DebugFlags &flags, bool isQuiet, bool keepsJson)
      : flags(flags), isQuiet(isQuiet), keepsJson(keepsJson) {}

  /// Chooses the values of a graph. INVALID_ARGUMENT names a pattern that
  /// nothing fits, and what to do. Both must outlive this. `note` gets what
  /// else is worth knowing.
  runtime::Status begin(const runtime::Model &model, const format::Graph &graph,
                        const std::function<void(const std::string &)> &note);

  /// Prints what can be watched, for --watch=list.
  static void printNames(const runtime::Model &model,
                         const format::Graph &graph);

  /// True when --break-on-nan has stopped the run.
  bool hasStopped() const;

  /// Adds "watch": a list of {step, name, type, count, min, max, mean, std,
  /// norm, zeros, nan, inf}.
  void addTo(nlohmann::ordered_json &json) const;

  bool wants(const format::Graph &graph, uint64_t step) override;
  runtime::Status onBegin(const runtime::StepValues &values) override;
  runtime::Status onBefore(runtime::InstructionId next,
                           const runtime::StepValues &values) override;
  runtime::Status onAfter(runtime::InstructionId done, bool isSeen,
                          const runtime::StepValues &values) override;
  runtime::Status onEnd(const runtime::StepValues &values) override;

private:
  void addWatch(const format::Graph &graph,
                std::vector<runtime::KeptValue> values);
  runtime::Status addDump(const format::Graph &graph,
                          std::vector<runtime::KeptValue> values);
  void watch(uint64_t step, const runtime::KeptValue &value,
             std::span<const std::byte> bytes);

  const DebugFlags flags;
  const bool isQuiet, keepsJson;
  std::vector<std::unique_ptr<runtime::StepObserver>> all;
  std::vector<runtime::StepObserver *> wanted; ///< of these, in this step
  std::function<bool()> isStopped;
  int nameWidth = 0, typeWidth = 0;
  std::vector<runtime::NamedTensor> dumped; ///< in this step
  nlohmann::ordered_json watched = nlohmann::ordered_json::array();
};

} // namespace graphc::run

#endif
