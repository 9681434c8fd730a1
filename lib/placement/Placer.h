// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From groups with allowed devices to a device for each: a policy chooses for
// most, and the others go where their users or operands are.
#ifndef GRAPHC_LIB_PLACEMENT_PLACER_H
#define GRAPHC_LIB_PLACEMENT_PLACER_H

#include "lib/placement/PlacementProblem.h"
#include "lib/placement/policy/PlacementPolicy.h"

#include <optional>
#include <vector>

namespace graphc {

struct Placement {
  GroupDevices devices;
  /// Method that chose each group's device: Policy also for those that should
  /// go where others are, when these are on several devices.
  std::vector<Choice> choices;
};

/// Hypothetical device of a group.
struct PlacementPin {
  uint32_t group;
  uint16_t device; ///< one that the group allows
};

/// Bytes per step from other devices to the node, and from it to them; of a
/// variable, to and from its group. A value goes to a device once.
uint64_t movedBytes(const PlacementProblem &problem, const Placement &placement,
                    uint32_t node);

/// With a pin it is what compiling with that device requested would give.
Placement choosePlacement(const PlacementProblem &problem,
                          const PlacementPolicy &policy,
                          std::optional<PlacementPin> pin = std::nullopt);

} // namespace graphc

#endif
