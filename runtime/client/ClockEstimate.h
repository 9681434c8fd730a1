// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates the clock of a task from round trips, as NTP does.
#ifndef GRAPHC_RUNTIME_CLIENT_CLOCKESTIMATE_H
#define GRAPHC_RUNTIME_CLIENT_CLOCKESTIMATE_H

#include <cstdint>
#include <optional>

namespace graphc::runtime {

/// A request and its reply: `sent` and `arrived` by the client's clock,
/// `received` and `replied` by the task's, in nanoseconds.
struct RoundTrip {
  int64_t sent = 0, received = 0, replied = 0, arrived = 0;
};

/// Of the round trips of a measurement the shortest counts: the offset that it
/// shows is wrong by half of its length at most, however unequal its two ways
/// are. Between two measurements the clock drifts evenly.
/// Thread-safety: as a value type.
class ClockEstimate {
public:
  /// Begins the next measurement; the first and the last count.
  void begin();
  /// A round trip that cannot be is left out: one that ends before it begins.
  void add(const RoundTrip &trip);

  /// True when no measurement has a round trip.
  bool isEmpty() const { return !first; }
  /// A time of the task's clock as one of the client's.
  int64_t toClient(int64_t taskNanos) const;
  /// Client's clock less the task's, at the last measurement.
  int64_t offsetNanos() const;
  /// Bound of the error of toClient() between the measurements.
  int64_t errorNanos() const;

private:
  /// Best round trip of a measurement.
  struct Best {
    int64_t at = 0; ///< of the task's clock
    int64_t offset = 0;
    int64_t length = 0; ///< on the way, both ways together
  };

  std::optional<Best> first, last;
  bool isOpen = false; ///< `last` is of the measurement that goes on
};

} // namespace graphc::runtime

#endif
