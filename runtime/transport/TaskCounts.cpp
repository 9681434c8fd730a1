// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text form of a cluster's size: "ps:1,worker:2".
#include "runtime/transport/LocalCluster.h"

#include <charconv>

namespace graphc::runtime {

namespace {
constexpr uint32_t kMaxTasks = 1024;

Status wrong(std::string_view text, const std::string &what) {
  return invalidArgument("'" + std::string(text) + "': " + what +
                         "; write jobs with their number of tasks, e.g. "
                         "ps:1,worker:2");
}
} // namespace

StatusOr<ClusterSpec> parseTaskCounts(std::string_view text) {
  std::vector<ClusterTask> tasks;
  std::string_view rest = text;
  for (bool isMore = true; isMore;) {
    size_t comma = rest.find(',');
    isMore = comma != std::string_view::npos;
    std::string_view part = rest.substr(0, comma);
    rest = isMore ? rest.substr(comma + 1) : std::string_view();
    size_t colon = part.find(':');
    if (colon == std::string_view::npos)
      return wrong(text, "'" + std::string(part) + "' has no ':'");
    std::string job(part.substr(0, colon));
    std::string_view digits = part.substr(colon + 1);
    uint32_t count = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || end != digits.data() + digits.size() ||
        count == 0 || count > kMaxTasks)
      return wrong(text, "'" + std::string(digits) +
                             "' is no number of tasks from 1 to " +
                             std::to_string(kMaxTasks));
    for (uint32_t index = 0; index < count; ++index)
      tasks.push_back(
          {job, index, "unix:/local/" + job + "-" + std::to_string(index)});
  }
  return ClusterSpec::make(std::move(tasks));
}

} // namespace graphc::runtime
