// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placement problem: all ops, variables and feeds of a module, and the groups
// of them that must share a device.
#ifndef GRAPHC_LIB_PLACEMENT_PLACEMENTPROBLEM_H
#define GRAPHC_LIB_PLACEMENT_PLACEMENTPROBLEM_H

#include "lib/placement/DeviceMasks.h"
#include "lib/placement/PlacementDecision.h"
#include "lib/placement/inputs/DeviceSet.h"
#include "lib/placement/inputs/KernelTable.h"
#include "lib/placement/inputs/PlacementRules.h"

#include "dialects/tfir/Tfir.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// Origin of a node's device request.
enum class RequestKind : uint8_t {
  None,
  Assigned, ///< `assigned_device`, which nothing overrides
  Device,   ///< its own `device`
  Rule,     ///< a rule of the user
};

/// An op, a variable or a feed.
struct PlacementNode {
  mlir::Operation *op = nullptr; ///< null for a feed
  mlir::BlockArgument feed;      ///< of a feed
  llvm::StringRef name;          ///< of the op, the variable or the feed
  llvm::StringRef kind;          ///< as TensorFlow calls it, "MatMul"
  uint32_t graph = kNoNode;      ///< in graphs; kNoNode for a variable
  uint32_t group = 0;

  RequestKind request = RequestKind::None;
  uint32_t spec = 0;                   ///< in specs: what is asked for
  const PlacementRule *rule = nullptr; ///< of RequestKind::Rule
  /// A request that does not count: the node hangs on the variable or the
  /// resource `ignoredFor`, which is somewhere else.
  uint32_t ignoredFor = kNoNode;
  /// Of the request, soft placement gave up type and id.
  bool isSoftened = false;

  uint32_t kernels = 0;     ///< in masks: the devices with a kernel
  uint32_t priorities = 0;  ///< in priorityLists
  bool isGenerator = false; ///< goes where its users are
  bool isMetadata = false;  ///< goes where its operand is
  bool isResource = false;  ///< a variable, or makes a resource from nothing

  mlir::Location getLoc() const { return op ? op->getLoc() : feed.getLoc(); }
};

/// A value that a node reads.
struct PlacementInput {
  uint32_t node;   ///< that makes it
  uint32_t result; ///< its number among the maker's results
  uint64_t bytes;
};

/// Nodes that share a device: by references to one variable or resource, or by
/// `colocate_with`.
struct PlacementGroup {
  uint32_t firstMember = 0; ///< in PlacementProblem::memberList
  uint32_t memberCount = 0;
  uint32_t allowed = 0;           ///< in PlacementProblem::allowedLists
  uint32_t leader = 0;            ///< the member whose kind decides
  Choice choice = Choice::Policy; ///< who chooses among the allowed devices
  Softened softened = Softened::Nothing;
};

/// Two members of a group, or two that were to be.
struct PlacementLink {
  uint32_t from;    ///< the variable or resource, or the named op
  uint32_t to;      ///< what hangs on it
  bool isReference; ///< otherwise `colocate_with`
  bool isDropped;   ///< given up by soft placement
};

/// Thread-safety: immutable once made.
struct PlacementProblem {
  PlacementProblem(const DeviceSet &devices, const KernelTable &kernels)
      : devices(&devices), kernels(&kernels), masks(devices.size()) {}

  const DeviceSet *devices;
  const KernelTable *kernels;
  std::vector<tfir::GraphOp> graphs;

  /// The variables, then of each graph its feeds and its ops, in order.
  std::vector<PlacementNode> nodes;
  /// Of node i those from inputBegin[i] up to inputBegin[i + 1].
  std::vector<PlacementInput> inputList;
  std::vector<uint32_t> inputBegin;
  /// The users of node i in the same way; once per value that they read.
  std::vector<uint32_t> userList;
  std::vector<uint32_t> userBegin;

  std::vector<PlacementGroup> groups; ///< in the order of their first members
  std::vector<uint32_t> memberList;
  std::vector<PlacementLink> links;

  /// Requested names, each once; 0 asks for nothing.
  std::vector<runtime::DeviceName> specs;
  std::vector<uint32_t> specMasks; ///< the devices of each spec, in masks
  /// The same without type and id, as soft placement reads specs.
  std::vector<uint32_t> specTaskMasks;
  DeviceMasks masks;
  /// Orders of kinds that kernels specify; list 0 specifies none.
  std::vector<std::vector<KernelKind>> priorityLists;
  /// Devices in the order of choice, as groups share them.
  std::vector<std::vector<uint16_t>> allowedLists;

  llvm::ArrayRef<PlacementInput> inputs(uint32_t node) const {
    return {inputList.data() + inputBegin[node],
            inputList.data() + inputBegin[node + 1]};
  }
  llvm::ArrayRef<uint32_t> users(uint32_t node) const {
    return {userList.data() + userBegin[node],
            userList.data() + userBegin[node + 1]};
  }
  /// In the order of the nodes; at least one.
  llvm::ArrayRef<uint32_t> members(uint32_t group) const {
    return {memberList.data() + groups[group].firstMember,
            groups[group].memberCount};
  }
  /// At least one, the first one is TensorFlow's choice.
  llvm::ArrayRef<uint16_t> allowed(uint32_t group) const {
    return allowedLists[groups[group].allowed];
  }

  /// The node asks for something that counts.
  bool hasRequest(uint32_t node) const {
    return nodes[node].request != RequestKind::None &&
           nodes[node].ignoredFor == kNoNode;
  }
  /// The devices that a node's request covers, as far as soft placement heeds
  /// it, and whether or not it counts.
  const llvm::BitVector &requestMask(uint32_t node) const {
    const std::vector<uint32_t> &of =
        nodes[node].isSoftened ? specTaskMasks : specMasks;
    return masks[of[nodes[node].spec]];
  }
  /// Returns the constraint that excludes a group from a device, and its
  /// member. None when the group may be there. Linear in the members.
  ExcludedBy excludedBy(uint32_t group, uint16_t device) const;
};

} // namespace graphc

#endif
