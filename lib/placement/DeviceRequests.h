// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device requests of the user, or of an earlier placement.
#ifndef GRAPHC_LIB_PLACEMENT_DEVICEREQUESTS_H
#define GRAPHC_LIB_PLACEMENT_DEVICEREQUESTS_H

#include "lib/placement/PlacementProblem.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace graphc {

/// Fills in what nodes request. Not thread-safe.
class DeviceRequests {
public:
  /// `soft`: type and id of a request need not exist.
  DeviceRequests(PlacementProblem &problem, const PlacementRules &rules,
                 bool soft);

  /// Sets `request`, `spec` and `rule` from `assigned_device`, else from
  /// `device`, else from the first rule that matches. Fails with an error at
  /// the op for what is no device, or no device has.
  llvm::LogicalResult read(PlacementNode &node);
  llvm::LogicalResult read(PlacementNode &&node) { return read(node); }

private:
  llvm::LogicalResult readAssigned(PlacementNode &node, mlir::Attribute attr);
  llvm::LogicalResult readDevice(PlacementNode &node, mlir::Attribute attr);
  llvm::LogicalResult request(PlacementNode &node, RequestKind kind,
                              uint32_t spec);
  uint32_t intern(const runtime::DeviceName &name);

  PlacementProblem &problem;
  const PlacementRules &rules;
  bool soft;
  llvm::StringMap<uint32_t> numbers; ///< of specs, by their text
  llvm::DenseMap<mlir::Attribute, uint32_t> interned; ///< the same, by device
  llvm::DenseMap<const PlacementRule *, uint32_t> ruleSpecs;
};

/// "'/job:a/...', '/job:b/...'": the devices there are, by name.
std::string availableDevices(const DeviceSet &devices);

/// Describes a node's request and its origin: "'/device:GPU:0'",
/// "'/device:GPU:0' by the rule 'name~a=/gpu:0' (--place)". REQUIRES: the node
/// has a request.
std::string requestText(const PlacementProblem &problem,
                        const PlacementNode &node);

} // namespace graphc

#endif
