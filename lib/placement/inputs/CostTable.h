// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Speeds of devices and of the links between them, as placement uses them:
//
//   {"devices": [{"device": "/gpu:*", "flops": 1e13,
//                 "bytes_per_second": 6e11, "launch_seconds": 5e-6}],
//    "links": [{"from": "/gpu:*", "to": "/cpu:*",
//               "bytes_per_second": 1.2e10, "latency_seconds": 1e-5}]}
//
// Of several entries that fit, the first counts; what it leaves out, and what
// none fits, is built in.
#ifndef GRAPHC_LIB_PLACEMENT_INPUTS_COSTTABLE_H
#define GRAPHC_LIB_PLACEMENT_INPUTS_COSTTABLE_H

#include "lib/placement/inputs/DeviceSet.h"
#include "runtime/json/JsonFile.h"

#include <vector>

namespace graphc {

struct DeviceSpeed {
  double flops = 0;
  double bytesPerSecond = 0;
  double launchSeconds = 0; ///< of each kernel
};

struct LinkSpeed {
  double bytesPerSecond = 0;
  double latencySeconds = 0; ///< of each transfer
};

/// Thread-safety: immutable once made.
class CostTable {
public:
  /// Built-in speeds: GPUs of 10 Tflop/s, other devices of 200 Gflop/s, 12 GB/s
  /// within a task and 1.2 GB/s between tasks.
  CostTable() = default;

  /// InvalidArgument names file, line, cause and cure.
  static runtime::StatusOr<CostTable> parse(const runtime::TextFile &file);

  DeviceSpeed speedOf(const TargetDevice &device) const;
  LinkSpeed speedBetween(const TargetDevice &from,
                         const TargetDevice &to) const;

private:
  friend class CostTableReader;

  struct DeviceEntry {
    runtime::DeviceName device;
    std::optional<double> flops, bytesPerSecond, launchSeconds;
  };
  struct LinkEntry {
    runtime::DeviceName from, to;
    std::optional<double> bytesPerSecond, latencySeconds;
  };

  std::vector<DeviceEntry> devices;
  std::vector<LinkEntry> links;
};

} // namespace graphc

#endif
