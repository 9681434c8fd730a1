// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/PlacementProblem.h"

namespace graphc {

ExcludedBy PlacementProblem::excludedBy(uint32_t group, uint16_t device) const {
  if (llvm::is_contained(allowed(group), device))
    return {};
  ExcludedBy found;
  auto note = [&](Exclusion why, uint32_t node) {
    if (found.why == Exclusion::None || why < found.why)
      found = {why, node};
  };
  for (uint32_t member : members(group)) {
    const PlacementNode &node = nodes[member];
    if (hasRequest(member) && !requestMask(member).test(device)) {
      if (node.request == RequestKind::Assigned)
        note(Exclusion::Assigned, member);
      else
        note(node.request == RequestKind::Device ? Exclusion::Request
                                                 : Exclusion::UserRule,
             member);
    }
    if (!masks[node.kernels].test(device))
      note(Exclusion::Kernel, member);
  }
  return found;
}

} // namespace graphc
