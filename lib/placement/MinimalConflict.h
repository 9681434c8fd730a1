// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search for a small set of constraints that contradict each other.
#ifndef GRAPHC_LIB_PLACEMENT_MINIMALCONFLICT_H
#define GRAPHC_LIB_PLACEMENT_MINIMALCONFLICT_H

#include "lib/placement/PlacementProblem.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace graphc {

/// Constraint on the devices of the members of one group.
struct PlacementConstraint {
  enum Kind : uint8_t {
    Request, ///< of the node `index`
    Kernel,  ///< the node `index` has no other kernels
    Link,    ///< two members share a device: links[index]
  };
  Kind kind;
  uint32_t index;
};

/// Decides about subsets of the constraints of one group. Not thread-safe.
class ConflictSearch {
public:
  ConflictSearch(PlacementProblem &problem, llvm::ArrayRef<uint32_t> members,
                 llvm::ArrayRef<PlacementLink> links, bool soft);

  /// All of them: requests and kernels in the order of the members, then links.
  std::vector<PlacementConstraint> all() const;

  /// Some devices meet them together.
  bool canMeet(llvm::ArrayRef<PlacementConstraint> constraints);

  /// The devices that meet the constraints of all that they join with `node`.
  llvm::BitVector devicesOf(uint32_t node,
                            llvm::ArrayRef<PlacementConstraint> constraints);

  /// A set that cannot be met, and of which every part can. None is smaller,
  /// but for those of three and more requests and kernels. In groups so large
  /// that it would take too long, it may have superfluous ones. REQUIRES: all()
  /// cannot be met.
  std::vector<PlacementConstraint> minimize();

private:
  using Constraints = std::vector<PlacementConstraint>;

  uint32_t localOf(uint32_t node) const;
  bool narrow(llvm::ArrayRef<PlacementConstraint> constraints);
  Constraints explain(const Constraints &base, bool isBaseNew,
                      llvm::ArrayRef<PlacementConstraint> rest);

  /// The devices that a request or a kernel leaves, and with soft placement
  /// where it pins a resource.
  using Claim = std::pair<uint32_t, uint32_t>;
  Claim claimOf(PlacementConstraint constraint) const;
  bool areApart(Claim a, Claim b);
  Constraints nearestAgainst(Claim claim, size_t below);
  Constraints nearestPair();
  void indexLinks();

  PlacementProblem &problem;
  llvm::ArrayRef<uint32_t> members;
  llvm::ArrayRef<PlacementLink> links;
  bool soft;
  size_t work = 0; ///< of explain()
  /// By member: the links at it, and its requests and kernels.
  std::vector<std::vector<uint32_t>> linksAt;
  std::vector<Constraints> claimsAt;
  // Of the last narrow(): by member, what stands for its set, and the devices
  // of those that do.
  std::vector<uint32_t> roots;
  std::vector<uint32_t> masks;
};

} // namespace graphc

#endif
