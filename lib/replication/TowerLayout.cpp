// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/TowerLayout.h"

namespace graphc {

/// Counts the devices from this one on that are of its task.
static size_t devicesOfTask(llvm::ArrayRef<TowerLayout::TowerDevice> devices) {
  runtime::DeviceName first = devices.front().name.getDeviceName();
  return devices
      .take_while([&](const TowerLayout::TowerDevice &device) {
        return device.name.getDeviceName().isInSameTaskAs(first);
      })
      .size();
}

unsigned TowerLayout::devicesPerTask() const {
  llvm::ArrayRef<TowerDevice> rest = devices;
  if (rest.empty())
    return 0;
  size_t count = devicesOfTask(rest);
  if (count < 2 || count == rest.size())
    return 0;
  for (; !rest.empty(); rest = rest.drop_front(count))
    if (devicesOfTask(rest) != count)
      return 0;
  return static_cast<unsigned>(count);
}

} // namespace graphc
