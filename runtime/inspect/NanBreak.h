// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stops a step at the first op that makes a NaN or an infinity.
#ifndef GRAPHC_RUNTIME_INSPECT_NANBREAK_H
#define GRAPHC_RUNTIME_INSPECT_NANBREAK_H

#include "runtime/data/HostTensor.h"
#include "runtime/executor/StepObserver.h"
#include "runtime/format/Model.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Values around a finding.
struct BreakReport {
  uint64_t step = 0;    ///< from 1
  std::string what;     ///< "op 'Log' (line 3) made NaN", without the step
  uint32_t line = 0;    ///< of the source; 0: not known
  bool isFused = false; ///< the kernel computes several ops
  std::vector<NamedTensor> inputs, outputs;
};

/// The report for people, of several lines: the source, statistics of each
/// value, the first elements of outputs that are not finite and the inputs at
/// the same places.
std::string breakText(const BreakReport &report, const Model &model);

/// Looks at everything that every instruction of a graph writes, in each step.
/// What it fails with, FAILED_PRECONDITION, is breakText(). An instruction
/// makes a NaN where none of its inputs has one, an infinity where all of them
/// are finite. Thread-safety: as StepObserver.
class NanBreak final : public StepObserver {
public:
  /// `model` and `graph` must outlive this. With a `folder`, inputs and outputs
  /// are written there: nan-step-000012.npz.
  NanBreak(const Model &model, const format::Graph &graph, std::string folder)
      : model(model), watched(&graph), folder(std::move(folder)) {}

  /// True when a step was stopped.
  bool hasStopped() const { return isStopped; }

  bool wants(const format::Graph &graph, uint64_t step) override {
    return &graph == watched;
  }
  Status onBegin(const StepValues &values) override;
  Status onBefore(InstructionId next, const StepValues &values) override;
  Status onAfter(InstructionId done, bool isSeen,
                 const StepValues &values) override;

private:
  Status checkStart(const std::string &what, uint32_t line,
                    const NamedTensor &value, const StepValues &values);
  NamedTensor copyOf(InstructionId at, uint32_t slot,
                     const StepValues &values) const;
  std::vector<NamedTensor> inputsOf(InstructionId at,
                                    const StepValues &values) const;
  std::string describe(InstructionId at, const char *made) const;
  Status stop(BreakReport report);
  const format::Program &programOf(InstructionId at) const {
    return *watched->programs()->Get(at.program);
  }

  const Model &model;
  const format::Graph *watched;
  std::string folder;
  bool isStopped = false;
  std::vector<NamedTensor> overwritten; ///< of the next instruction
};

} // namespace graphc::runtime

#endif
