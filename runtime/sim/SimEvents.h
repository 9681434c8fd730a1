// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time, chance and the log of a simulation.
#ifndef GRAPHC_RUNTIME_SIM_SIMEVENTS_H
#define GRAPHC_RUNTIME_SIM_SIMEVENTS_H

#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// Events by time; those of the same time in the order in which they were
/// added. Thread-safety: one call at a time.
class SimEvents {
public:
  explicit SimEvents(uint64_t seed) : random(seed) {}

  int64_t now() const { return time; }
  void at(int64_t when, std::function<void()> event) {
    queue.push({std::max(when, time), count++, std::move(event)});
  }
  void after(int64_t nanos, std::function<void()> event) {
    at(time + nanos, std::move(event));
  }
  /// False: there is none until `limit`; the time is `limit` then.
  bool runOne(int64_t limit);

  uint64_t below(uint64_t bound) { return bound ? random() % bound : 0; }
  int64_t between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(below(most - least + 1));
  }
  bool happens(double probability) {
    return probability > 0 &&
           static_cast<double>(random() >> 11) * 0x1p-53 < probability;
  }

  /// "   1.234567 who: text".
  void log(std::string_view who, std::string_view text);
  const std::string &text() const { return lines; }

private:
  struct Event {
    int64_t when;
    uint64_t number;
    std::function<void()> action;
    bool operator<(const Event &other) const {
      return when != other.when ? when > other.when : number > other.number;
    }
  };

  std::mt19937_64 random;
  std::priority_queue<Event> queue;
  int64_t time = 0;
  uint64_t count = 0;
  std::string lines;
};

} // namespace graphc::runtime

#endif
