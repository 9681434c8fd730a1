// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of NodeOpInterface, as functions of any op. Getters return null
// for ops that do not have the attribute; setters need an op with the
// interface, and null removes the attribute.
#ifndef GRAPHC_DIALECTS_TFIR_NODEATTRS_H
#define GRAPHC_DIALECTS_TFIR_NODEATTRS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

namespace graphc::tfir {

class DeviceAttr;

enum class NodeAttr : unsigned {
  Name,
  Device,
  Colocation,
  AssignedDevice,
  Tower,
  Collective,
  Fallback,
  Level,
  ForSummary
};
inline constexpr unsigned kNodeAttrs = 9;

/// Name of the op, as in TensorFlow's graphs.
mlir::StringAttr getNodeName(mlir::Operation *op);
void setNodeName(mlir::Operation *op, mlir::StringAttr name);

/// Requested device, full or partial; null without one that is parsed.
DeviceAttr getRequestedDevice(mlir::Operation *op);
/// The same: a DeviceAttr, or the text of the source while scopes are not flat.
mlir::Attribute getRequestedDeviceAttr(mlir::Operation *op);
void setRequestedDevice(mlir::Operation *op, DeviceAttr device);

/// Name of the one op or variable whose device the op shares.
mlir::StringAttr getColocation(mlir::Operation *op);
/// The same: a name or a list of names.
mlir::Attribute getColocationAttr(mlir::Operation *op);
void setColocation(mlir::Operation *op, mlir::Attribute names);

/// Device that an op or a variable is on; null without one that is parsed.
DeviceAttr getAssignedDevice(mlir::Operation *op);
/// The same: a DeviceAttr, or the text of the source while scopes are not flat.
mlir::Attribute getAssignedDeviceAttr(mlir::Operation *op);
void setAssignedDevice(mlir::Operation *op, DeviceAttr device);

/// Index of the tower that the op belongs to; null on what all towers share.
mlir::IntegerAttr getTower(mlir::Operation *op);
void setTower(mlir::Operation *op, mlir::IntegerAttr tower);

/// Id of the collective that the op is a part of.
mlir::IntegerAttr getCollective(mlir::Operation *op);
void setCollective(mlir::Operation *op, mlir::IntegerAttr collective);

/// True for an op whose only use is that tfir.all_reduce of its collective
/// finds the sum where no library makes it.
bool isFallback(mlir::Operation *op);
void setFallback(mlir::Operation *op);

/// True for an op that only summaries need: it is in no kernel with others.
bool isForSummary(mlir::Operation *op);
void setForSummary(mlir::Operation *op);

/// Dependency depth that the op begins with, whatever it depends on.
mlir::IntegerAttr getDependencyLevel(mlir::Operation *op);
void setDependencyLevel(mlir::Operation *op, mlir::IntegerAttr level);

/// Removes the requested device, the colocation and the assigned device.
void removePlacement(mlir::Operation *op);

/// Gives `to` the attributes of `from` that NodeOpInterface has, and others
/// that are discardable, in place of its own.
void copyNodeAttrs(mlir::Operation *from, mlir::Operation *to);

/// Attributes of the op but for its name and the device and the colocation that
/// it requests: equal for the same op at different places.
mlir::DictionaryAttr attrsWithoutRequests(mlir::Operation *op);

/// Names of the attributes that users may write on any op.
llvm::SmallVector<llvm::StringRef> sourceNodeAttrNames();
/// True for the name of an attribute of NodeOpInterface.
bool isNodeAttr(llvm::StringRef name);
/// Name of an attribute of the op that only the compiler writes; empty if it
/// has none.
llvm::StringRef findCompilerAttr(mlir::Operation *op);

/// Checks (C1) to (C5) of NodeOpInterface.
llvm::LogicalResult verifyNode(mlir::Operation *op);

/// Discardable attributes of an op that is being made, changed together.
class NodeAttrList {
public:
  /// Begins with those of `like`.
  explicit NodeAttrList(mlir::Operation *like);

  mlir::StringAttr getName() const;
  mlir::StringAttr getColocation() const;
  void setName(mlir::StringAttr name);
  void setColocation(mlir::StringAttr name);
  void setRequestedDevice(DeviceAttr device);
  void setTower(mlir::IntegerAttr tower);
  mlir::DictionaryAttr getDictionary() const;

private:
  mlir::MLIRContext *context;
  mlir::NamedAttrList attrs;
};

} // namespace graphc::tfir

#endif
