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

StatusOr<std::optional<int64_t>>
readProgress(const std::string &path, const SafetensorsMetadata &metadata,
             uint64_t graphSteps, bool evenComplete) {
  if (metadata.count(kComplete) && !evenComplete)
    return std::optional<int64_t>();
  auto found = metadata.find(kSteps);
  const std::string text = found == metadata.end() ? "" : found->second;
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
