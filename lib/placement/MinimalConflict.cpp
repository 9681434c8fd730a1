// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/MinimalConflict.h"

#include "lib/placement/DisjointSets.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using graphc::runtime::DeviceName;

namespace graphc {

/// Of more different requests in one group, some are not compared with all.
static constexpr size_t kMaxClaims = 64;
/// So many members are looked at to make a set small.
static constexpr size_t kMaxWork = 100'000'000;
/// A pair with more links between it is taken as it is.
static constexpr size_t kLargePair = 32;

ConflictSearch::ConflictSearch(PlacementProblem &problem,
                               llvm::ArrayRef<uint32_t> members,
                               llvm::ArrayRef<PlacementLink> links, bool soft)
    : problem(problem), members(members), links(links), soft(soft) {}

/// The position of a member, which are in order.
uint32_t ConflictSearch::localOf(uint32_t node) const {
  return llvm::lower_bound(members, node) - members.begin();
}

std::vector<PlacementConstraint> ConflictSearch::all() const {
  Constraints found;
  for (uint32_t member : members) {
    if (problem.hasRequest(member))
      found.push_back({PlacementConstraint::Request, member});
    if (problem.nodes[member].kernels != DeviceMasks::kAll)
      found.push_back({PlacementConstraint::Kernel, member});
  }
  for (uint32_t i = 0; i < links.size(); ++i)
    found.push_back({PlacementConstraint::Link, i});
  return found;
}

/// Fills in `roots` and `masks`. False when soft placement meets resources that
/// are pinned apart.
bool ConflictSearch::narrow(llvm::ArrayRef<PlacementConstraint> constraints) {
  DisjointSets sets(members.size());
  for (PlacementConstraint constraint : constraints)
    if (constraint.kind == PlacementConstraint::Link)
      sets.unite(localOf(links[constraint.index].from),
                 localOf(links[constraint.index].to));
  masks.assign(members.size(), DeviceMasks::kAll);
  llvm::DenseMap<uint32_t, DeviceName> resources;
  bool fits = true;
  for (PlacementConstraint constraint : constraints) {
    if (constraint.kind == PlacementConstraint::Link)
      continue;
    const PlacementNode &node = problem.nodes[constraint.index];
    uint32_t root = sets.find(localOf(constraint.index));
    bool isHard = !soft || node.request == RequestKind::Assigned;
    uint32_t mask = node.kernels;
    if (constraint.kind == PlacementConstraint::Request)
      mask = (isHard ? problem.specMasks : problem.specTaskMasks)[node.spec];
    masks[root] = problem.masks.intersect(masks[root], mask);
    if (isHard || !node.isResource ||
        constraint.kind != PlacementConstraint::Request)
      continue;
    DeviceName &pinned = resources[root];
    auto both = runtime::mergeDeviceNames(pinned, problem.specs[node.spec]);
    fits &= both.isOk();
    if (both.isOk())
      pinned = *both;
  }
  roots.resize(members.size());
  for (uint32_t i = 0; i < members.size(); ++i)
    roots[i] = sets.find(i);
  return fits;
}

bool ConflictSearch::canMeet(llvm::ArrayRef<PlacementConstraint> constraints) {
  return narrow(constraints) && llvm::none_of(masks, [&](uint32_t mask) {
           return problem.masks.isEmpty(mask);
         });
}

llvm::BitVector
ConflictSearch::devicesOf(uint32_t node,
                          llvm::ArrayRef<PlacementConstraint> constraints) {
  narrow(constraints);
  return problem.masks[masks[roots[localOf(node)]]];
}

/// QuickXplain (Junker, 2004): what of `rest` contradicts itself together with
/// `base`; of those in front as much as possible. The number of decisions grows
/// with the size of the result and the logarithm of that of `rest`.
ConflictSearch::Constraints
ConflictSearch::explain(const Constraints &base, bool isBaseNew,
                        llvm::ArrayRef<PlacementConstraint> rest) {
  work += members.size() + base.size();
  if (isBaseNew && !canMeet(base))
    return {};
  if (rest.size() == 1 || work > kMaxWork)
    return rest.vec();
  auto front = rest.take_front(rest.size() / 2);
  auto back = rest.drop_front(front.size());
  Constraints base2 = base;
  base2.insert(base2.end(), front.begin(), front.end());
  Constraints second = explain(base2, /*isBaseNew=*/true, back);
  base2 = base;
  base2.insert(base2.end(), second.begin(), second.end());
  Constraints first = explain(base2, /*isBaseNew=*/!second.empty(), front);
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

ConflictSearch::Claim
ConflictSearch::claimOf(PlacementConstraint constraint) const {
  const PlacementNode &node = problem.nodes[constraint.index];
  if (constraint.kind == PlacementConstraint::Kernel)
    return {node.kernels, 0};
  if (!soft || node.request == RequestKind::Assigned)
    return {problem.specMasks[node.spec], 0};
  return {problem.specTaskMasks[node.spec], node.isResource ? node.spec : 0};
}

bool ConflictSearch::areApart(Claim a, Claim b) {
  return problem.masks.isEmpty(problem.masks.intersect(a.first, b.first)) ||
         !runtime::mergeDeviceNames(problem.specs[a.second],
                                    problem.specs[b.second])
              .isOk();
}

void ConflictSearch::indexLinks() {
  linksAt.assign(members.size(), {});
  claimsAt.assign(members.size(), {});
  for (uint32_t i = 0; i < links.size(); ++i) {
    linksAt[localOf(links[i].from)].push_back(i);
    linksAt[localOf(links[i].to)].push_back(i);
  }
  for (PlacementConstraint constraint : all())
    if (constraint.kind != PlacementConstraint::Link)
      claimsAt[localOf(constraint.index)].push_back(constraint);
}

/// Goes from all members with the claim over their links until one is met that
/// claims something else: the two and the links between them, if these are
/// fewer than `below`.
ConflictSearch::Constraints ConflictSearch::nearestAgainst(Claim claim,
                                                           size_t below) {
  constexpr uint32_t kNoLink = std::numeric_limits<uint32_t>::max();
  std::vector<uint32_t> queue, steps(members.size(), 0);
  std::vector<uint32_t> cameBy(members.size(), kNoLink);
  std::vector<char> seen(members.size(), false);
  auto otherEnd = [&](uint32_t link, uint32_t member) {
    uint32_t from = localOf(links[link].from);
    return from == member ? localOf(links[link].to) : from;
  };
  for (uint32_t i = 0; i < members.size(); ++i) {
    seen[i] = llvm::any_of(claimsAt[i], [&](PlacementConstraint constraint) {
      return claimOf(constraint) == claim;
    });
    if (seen[i])
      queue.push_back(i);
  }
  for (size_t at = 0; at < queue.size(); ++at) {
    uint32_t member = queue[at];
    if (steps[member] + 2 >= below)
      return {};
    for (PlacementConstraint against : claimsAt[member]) {
      if (!areApart(claim, claimOf(against)))
        continue;
      Constraints found = {against};
      for (; cameBy[member] != kNoLink;
           member = otherEnd(cameBy[member], member))
        found.push_back({PlacementConstraint::Link, cameBy[member]});
      found.push_back(
          *llvm::find_if(claimsAt[member], [&](PlacementConstraint constraint) {
            return claimOf(constraint) == claim;
          }));
      return found;
    }
    for (uint32_t link : linksAt[member]) {
      uint32_t next = otherEnd(link, member);
      if (seen[next])
        continue;
      seen[next] = true;
      cameBy[next] = link;
      steps[next] = steps[member] + 1;
      queue.push_back(next);
    }
  }
  return {};
}

/// The two requests or kernels that are apart and nearest to each other, with
/// the links between them; empty when any two go together.
ConflictSearch::Constraints ConflictSearch::nearestPair() {
  indexLinks();
  std::vector<Claim> claims;
  for (const Constraints &here : claimsAt)
    for (PlacementConstraint constraint : here)
      claims.push_back(claimOf(constraint));
  llvm::sort(claims);
  claims.erase(std::unique(claims.begin(), claims.end()), claims.end());
  // Each claim costs a walk over the group.
  if (claims.size() > kMaxClaims)
    claims.resize(kMaxClaims);
  Constraints best;
  for (Claim claim : claims) {
    Constraints found = nearestAgainst(
        claim, best.empty() ? std::numeric_limits<size_t>::max() : best.size());
    if (!found.empty())
      best = std::move(found);
  }
  return best;
}

std::vector<PlacementConstraint> ConflictSearch::minimize() {
  Constraints best = nearestPair();
  if (best.size() != 2 && best.size() < kLargePair) {
    work = 0;
    Constraints found = explain({}, /*isBaseNew=*/false, all());
    if (best.empty() || found.size() < best.size())
      best = std::move(found);
  }
  llvm::sort(best, [](PlacementConstraint a, PlacementConstraint b) {
    return std::make_pair(a.kind, a.index) < std::make_pair(b.kind, b.index);
  });
  return best;
}

} // namespace graphc
