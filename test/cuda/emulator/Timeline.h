// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders the work of a device: which is before which, whatever the order in
// which the emulator happens to do it.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_TIMELINE_H
#define GRAPHC_TEST_CUDA_EMULATOR_TIMELINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::emulator {

/// Vector clock: progress of each lane, as far as someone knows.
class Clock {
public:
  uint32_t at(uint32_t lane) const {
    return lane < ticks.size() ? ticks[lane] : 0;
  }
  void set(uint32_t lane, uint32_t tick);
  /// Learns all that the other knows.
  void join(const Clock &other);

private:
  std::vector<uint32_t> ticks;
};

using OperationId = uint32_t; ///< 0: none

/// Each stream, and each branch of a graph, is a lane of operations in order.
/// Thread-safety: none; the driver's lock is held.
class Timeline {
public:
  uint32_t addLane() { return lanes++; }

  /// A new operation at the end of a lane, after all that `clock` knows; the
  /// clock then knows the operation, too.
  OperationId begin(uint32_t lane, Clock &clock, const std::string &name);

  bool isBefore(OperationId operation, const Clock &clock) const {
    const Record &record = records[operation];
    return clock.at(record.lane) >= record.tick;
  }

  const std::string &name(OperationId operation) const {
    return *records[operation].name;
  }

  /// Forgets what was traced; from now on, each operation becomes a line of its
  /// number, its name and the numbers of those that it may run beside:
  /// "3 kernel 'add' beside 1 2".
  void startTrace();
  const std::string &trace() const { return traceText; }

private:
  struct Record {
    uint32_t lane, tick;
    const std::string *name;
  };

  void addToTrace(const Clock &clock);

  uint32_t lanes = 0;
  OperationId firstTraced = 0; ///< 0: nothing is traced
  std::string traceText;
  std::vector<Record> records = {{0, 0, nullptr}};
};

} // namespace graphc::emulator

#endif
