// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/TowerDevices.h"

#include "runtime/base/JobRoles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringRef.h"

using llvm::SmallVector;
using llvm::StringRef;

namespace graphc {

SmallVector<size_t> towerDevices(const DeviceSet &set) {
  SmallVector<size_t> found = llvm::to_vector(llvm::seq(set.size()));
  auto narrow = [&](llvm::function_ref<bool(const TargetDevice &)> keep) {
    SmallVector<size_t> kept;
    llvm::copy_if(found, std::back_inserter(kept),
                  [&](size_t index) { return keep(set[index]); });
    if (!kept.empty())
      found = kept;
  };
  narrow([](const TargetDevice &device) { return !device.implied; });
  // One serves variables, the other looks at checkpoints.
  narrow([](const TargetDevice &device) {
    return runtime::isWorkerJob(*device.name.job);
  });
  StringRef best = set[found.front()].type;
  narrow([&](const TargetDevice &device) { return device.type == best; });
  return found;
}

} // namespace graphc
