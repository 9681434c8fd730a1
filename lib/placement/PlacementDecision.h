// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reasons of placement decisions, in numbers: text is made of them on demand.
#ifndef GRAPHC_LIB_PLACEMENT_PLACEMENTDECISION_H
#define GRAPHC_LIB_PLACEMENT_PLACEMENTDECISION_H

#include <cstdint>
#include <limits>

namespace graphc {

inline constexpr uint32_t kNoNode = std::numeric_limits<uint32_t>::max();

/// Reason why a group cannot be on a device. The earlier reason counts where
/// there are several.
enum class Exclusion : uint8_t {
  None,     ///< it could be there
  Assigned, ///< `assigned_device` of a member is another one
  Request,  ///< `device` of a member does not cover it
  UserRule, ///< a rule that matches a member does not cover it
  Kernel,   ///< a member has no kernel there
};

/// The constraint that excludes a device, and whose it is.
struct ExcludedBy {
  Exclusion why = Exclusion::None;
  uint32_t node = kNoNode; ///< the member
};

/// Method that chose one of the allowed devices of a group.
enum class Choice : uint8_t {
  Policy,    ///< by the policy
  Generator, ///< where all its users are
  Metadata,  ///< where its operand is
};

/// Constraint of a group that soft placement gave up.
enum class Softened : uint8_t {
  Nothing,
  Request,    ///< type and id of a request
  Colocation, ///< a colocate_with
};

} // namespace graphc

#endif
