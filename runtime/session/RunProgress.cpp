// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/RunProgress.h"

#include <charconv>

namespace graphc::runtime {

namespace {
constexpr const char *kSteps = "step";
constexpr const char *kComplete = "complete";
} // namespace

SafetensorsMetadata progressMetadata(int64_t steps, bool isComplete) {
  SafetensorsMetadata metadata = {{kSteps, std::to_string(steps)}};
  if (isComplete)
    metadata[kComplete] = "true";
  return metadata;
}

StatusOr<std::optional<int64_t>> readProgress(const std::string &path,
                                              uint64_t graphSteps) {
  GRAPHC_ASSIGN_OR_RETURN(SafetensorsMetadata metadata,
                          readSafetensorsMetadata(path));
  if (metadata.count(kComplete))
    return std::optional<int64_t>();
  const std::string &text = metadata[kSteps];
  uint64_t steps = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), steps);
  if (error != std::errc() || end != text.data() + text.size() ||
      steps > graphSteps)
    return dataLoss("'" + path +
                    "' does not say how many steps its run had done; use "
                    "another checkpoint, or begin from its values with --load");
  return std::optional<int64_t>(static_cast<int64_t>(steps));
}

} // namespace graphc::runtime
