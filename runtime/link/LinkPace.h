// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures how fast links carry values, and finds those that are far slower
// than a task's other ones.
#ifndef GRAPHC_RUNTIME_LINK_LINKPACE_H
#define GRAPHC_RUNTIME_LINK_LINKPACE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace graphc::runtime {

/// Throughput of a link since the last sample.
struct LinkSample {
  uint64_t bytes = 0;    ///< taken by the peer while much was on the way
  int64_t busyNanos = 0; ///< so long much was on the way
  double bytesPerSecond() const;
};

/// Meter of one direction of a link. Only times count in which at least
/// kBusyBytes are on the way: the time of less is that of the peer's
/// acknowledgement. Thread-safety: one call at a time.
class LinkPace {
public:
  static constexpr size_t kBusyBytes = 64 << 10;

  /// So many bytes are on the way from now on.
  void onTheWay(size_t bytes, int64_t now);
  void onTaken(size_t bytes);
  /// Forgets frames on the way, which are lost.
  void forget() { busySince.reset(); }
  LinkSample take(int64_t now);

private:
  std::optional<int64_t> busySince;
  LinkSample sample;
};

/// The rate that a link had if it was busy for at least half of the time and
/// far slower than the others that carried values; nothing: it is not slow.
struct SlowLink {
  double bytesPerSecond = 0, others = 0;
};
std::optional<SlowLink> judgePace(const LinkSample &link,
                                  std::span<const LinkSample> others,
                                  int64_t nanos);

} // namespace graphc::runtime

#endif
