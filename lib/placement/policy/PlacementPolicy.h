// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies that choose among the devices that the constraints leave to a group.
#ifndef GRAPHC_LIB_PLACEMENT_POLICY_PLACEMENTPOLICY_H
#define GRAPHC_LIB_PLACEMENT_POLICY_PLACEMENTPOLICY_H

#include "graphc/Choices.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace graphc {

class CostModel;
struct PlacementProblem;

/// A device of each group, by its place in the DeviceSet.
using GroupDevices = std::vector<uint16_t>;

/// Thread-safety: immutable.
class PlacementPolicy {
public:
  /// Puts the groups that a policy is not asked about, since they go where
  /// others are (generators, metadata), given the devices of all others.
  using Completion = llvm::function_ref<void(GroupDevices &)>;

  virtual ~PlacementPolicy() = default;

  /// As --placement spells it.
  virtual llvm::StringRef name() const = 0;

  /// Gives every group of `free`, which are in the order of the ops, one of its
  /// allowed devices. `devices` has those of the groups for which nobody can
  /// choose, as they have one allowed device or are pinned; entries of groups
  /// that `complete` puts mean nothing yet.
  virtual void choose(const PlacementProblem &problem,
                      llvm::ArrayRef<uint32_t> free, Completion complete,
                      GroupDevices &devices) const = 0;

  /// Cost of choose beyond one look at each op, in such looks.
  virtual size_t extraEffort() const { return 0; }

  /// `costs` must outlive the policy.
  static std::unique_ptr<PlacementPolicy> make(PolicyKind kind,
                                               const CostModel &costs);
};

} // namespace graphc

#endif
