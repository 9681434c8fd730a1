// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows chosen values of a graph at the moment when they are there.
#ifndef GRAPHC_RUNTIME_INSPECT_VALUEOBSERVER_H
#define GRAPHC_RUNTIME_INSPECT_VALUEOBSERVER_H

#include "runtime/executor/StepObserver.h"
#include "runtime/inspect/KeptValues.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Steps, counted from 1.
struct StepRange {
  uint64_t first = 1, last = UINT64_MAX;
  uint64_t every = 1; ///< of these, each so many, beginning with `first`

  bool contains(uint64_t step) const {
    return step >= first && step <= last && (step - first) % every == 0;
  }
};

/// Calls back with values in the order in which the step makes them, which is
/// the same in each step and each run. Thread-safety: as StepObserver.
class ValueObserver final : public StepObserver {
public:
  /// `step` counts from 1.
  using OnValue = std::function<Status(uint64_t step, const KeptValue &value,
                                       std::span<const std::byte> bytes)>;
  using OnStepEnd = std::function<Status(uint64_t step)>;

  ValueObserver(const format::Graph &graph, std::vector<KeptValue> values,
                StepRange steps, OnValue onValue, OnStepEnd onStepEnd);

  bool wants(const format::Graph &graph, uint64_t step) override;
  Status onBegin(const StepValues &values) override;
  Status onAfter(InstructionId done, bool isSeen,
                 const StepValues &values) override;
  Status onEnd(const StepValues &values) override;

private:
  Status show(size_t index, const StepValues &values);

  const format::Graph *watched;
  std::vector<KeptValue> kept;
  StepRange steps;
  OnValue onValue;
  OnStepEnd onStepEnd;
  /// By program and instruction, numbers in `kept`.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>> after;
  std::vector<size_t> late; ///< of the step, not seen when they were made
};

} // namespace graphc::runtime

#endif
