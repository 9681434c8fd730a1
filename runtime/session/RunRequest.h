// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Request to a session, and its results after each step.
#ifndef GRAPHC_RUNTIME_SESSION_RUNREQUEST_H
#define GRAPHC_RUNTIME_SESSION_RUNREQUEST_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"
#include "runtime/format/Model.h"
#include "runtime/format/TensorTypes.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Request for a run.
struct RunRequest {
  std::string graph;
  std::vector<NamedTensor> feeds{};   ///< the same in each step
  std::vector<std::string> fetches{}; ///< empty: all of the graph
  int64_t steps = 1;                  ///< 0: until a dataset ends
  /// Of nowNanos(): when the run fails with DEADLINE_EXCEEDED; nothing: as the
  /// session has it.
  std::optional<int64_t> untilNanos{};
};

/// The fetches after a step, valid until the callback returns.
class StepView {
public:
  /// `values` has the bytes of each fetch.
  StepView(std::span<const format::Port *const> fetches,
           std::span<const std::span<const std::byte>> values, uint64_t step,
           std::optional<double> seconds = std::nullopt)
      : fetches(fetches), values(values), count(step), time(seconds) {}

  /// Steps of this graph that are done, so 1 after the first.
  uint64_t step() const { return count; }
  /// Seconds of the step where it was made; nothing: it was made while the
  /// caller waited.
  std::optional<double> seconds() const { return time; }
  size_t size() const { return fetches.size(); }
  /// The same step with some of the fetches.
  StepView some(size_t first, size_t number) const {
    return StepView(fetches.subspan(first, number),
                    values.subspan(first, number), count, time);
  }
  std::string_view name(size_t fetch) const {
    return fetches[fetch]->name()->string_view();
  }
  TensorType type(size_t fetch) const {
    return toTensorType(*fetches[fetch]->type());
  }
  std::span<const std::byte> bytes(size_t fetch) const { return values[fetch]; }
  HostTensor tensor(size_t fetch) const {
    return {type(fetch), {bytes(fetch).begin(), bytes(fetch).end()}};
  }

private:
  std::span<const format::Port *const> fetches;
  std::span<const std::span<const std::byte>> values;
  uint64_t count;
  std::optional<double> time;
};

/// Outcome of a run that did not fail.
struct RunOutcome {
  enum class End { AllSteps, EndOfData, Stopped };
  int64_t steps = 0; ///< done by this run
  End end = End::AllSteps;
  std::string why; ///< it ended before all steps; empty: its data were over
};

} // namespace graphc::runtime

#endif
