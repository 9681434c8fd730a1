// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the values of a graph's summary operations.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_OPSUMMARIES_H
#define GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_OPSUMMARIES_H

#include "runtime/session/RunRequest.h"
#include "runtime/summary/SummaryWriter.h"

#include <functional>
#include <vector>

namespace graphc::run {

/// Counts at `thresholds` (>= 2) equal distances from 0 to 1, as TensorBoard's
/// plugin has them: a prediction in [0, 1] is positive at those not above it.
/// Thread-safety: as a value type.
class PrCounts {
public:
  PrCounts(std::span<const std::byte> labels,
           std::span<const float> predictions, size_t thresholds);

  runtime::PrCurveCounts counts() const {
    return {truePositives, falsePositives, trueNegatives, falseNegatives};
  }

private:
  std::vector<float> truePositives, falsePositives, trueNegatives,
      falseNegatives;
};

/// The bytes of a float image as TensorFlow scales them: where no value is
/// negative the largest becomes 255, else 0 becomes 127 and the largest
/// magnitude an end. What is no number becomes 0.
std::vector<std::byte> scaledPixels(std::span<const float> pixels);

/// `values` are the fetches of `variant` from its first summary on. `note` is
/// told by tag what cannot be shown.
void writeSummaries(
    runtime::SummaryWriter &writer, const format::Graph &variant,
    const runtime::StepView &values, int64_t step,
    const std::function<void(const std::string &tag,
                             const runtime::Status &why)> &note);

} // namespace graphc::run

#endif
