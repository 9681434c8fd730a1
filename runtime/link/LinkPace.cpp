// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/link/LinkPace.h"

#include <algorithm>
#include <vector>

using namespace graphc::runtime;

namespace {

/// A peer may keep an acknowledgement back for so long (kAckNanos).
constexpr int64_t kReplyNanos = 5'000'000;
/// Minimum bytes of other links to compare with.
constexpr uint64_t kMeasurableBytes = 4 * LinkPace::kBusyBytes;
/// Differences of load and distance are smaller.
constexpr double kFarSlower = 8;

} // namespace

double LinkSample::bytesPerSecond() const {
  return static_cast<double>(bytes) * 1e9 /
         static_cast<double>(std::max(busyNanos, kReplyNanos));
}

void LinkPace::onTheWay(size_t bytes, int64_t now) {
  bool isBusy = bytes >= kBusyBytes;
  if (isBusy && !busySince)
    busySince = now;
  if (isBusy || !busySince)
    return;
  sample.busyNanos += std::max<int64_t>(0, now - *busySince - kReplyNanos);
  busySince.reset();
}

void LinkPace::onTaken(size_t bytes) {
  if (busySince)
    sample.bytes += bytes;
}

LinkSample LinkPace::take(int64_t now) {
  if (busySince) {
    sample.busyNanos += now - *busySince;
    busySince = now;
  }
  LinkSample taken = sample;
  sample = {};
  return taken;
}

std::optional<SlowLink>
graphc::runtime::judgePace(const LinkSample &link,
                           std::span<const LinkSample> others, int64_t nanos) {
  if (link.busyNanos < nanos / 2 || link.bytes == 0)
    return std::nullopt;
  std::vector<double> rates;
  for (const LinkSample &other : others)
    if (other.bytes >= kMeasurableBytes)
      rates.push_back(other.bytesPerSecond());
  if (rates.empty())
    return std::nullopt;
  std::ranges::sort(rates);
  SlowLink slow{link.bytesPerSecond(), rates[rates.size() / 2]};
  if (slow.bytesPerSecond * kFarSlower > slow.others)
    return std::nullopt;
  return slow;
}
