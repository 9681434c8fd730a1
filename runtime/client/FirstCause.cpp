// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/FirstCause.h"

#include <algorithm>
#include <utility>

namespace graphc::runtime {

namespace {
constexpr std::string_view kLost = "lost ";

enum Rank { Own, Heard, Lost, Stalled, Cancelled };

/// The task in "lost /job:ps/task:0: why".
std::string lostTask(const std::string &message) {
  if (!message.starts_with(kLost))
    return {};
  size_t end = message.find(": ");
  return message.substr(kLost.size(), end == message.npos ? message.npos
                                                          : end - kLost.size());
}
} // namespace

void FirstCause::add(std::string_view reporter,
                     const protocol::Failure &failure) {
  Report report;
  report.failure = failure;
  report.lost = lostTask(failure.message());
  if (!report.lost.empty())
    report.rank = Lost;
  else if (failure.code() == static_cast<int>(StatusCode::DeadlineExceeded))
    report.rank = Stalled;
  else if (failure.code() == static_cast<int>(StatusCode::Cancelled) ||
           failure.code() == static_cast<int>(StatusCode::Aborted))
    report.rank = Cancelled;
  else
    report.rank = failure.task() == reporter ? Own : Heard;
  reports.push_back(std::move(report));
}

bool FirstCause::isCertain() const {
  return std::ranges::any_of(
      reports, [](const Report &report) { return report.rank == Own; });
}

const protocol::Failure &FirstCause::choose() const {
  // Of equal reports, one that names what was waited for.
  auto votes = [&](const Report &report) {
    return std::pair(std::ranges::count(reports, report.lost, &Report::lost),
                     report.failure.step() > 0);
  };
  const Report *best = &reports.front();
  for (const Report &report : reports)
    if (report.rank < best->rank ||
        (report.rank == Lost && best->rank == Lost &&
         votes(report) > votes(*best)))
      best = &report;
  return best->failure;
}

} // namespace graphc::runtime
