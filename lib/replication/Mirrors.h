// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placement of variables when graphs have towers: on one device, or mirrored.
#ifndef GRAPHC_LIB_REPLICATION_MIRRORS_H
#define GRAPHC_LIB_REPLICATION_MIRRORS_H

#include "lib/replication/TowerLayout.h"

#include "llvm/ADT/DenseMap.h"

namespace graphc {

class UpdateShards;

/// The copies of variables on the other devices with towers.
class Mirrors {
public:
  /// Requests devices for the variables that graphs with towers touch. In a
  /// mirrored layout declares the copies of those that hold floats,
  /// `w/mirror_1` and so on; integers count steps, stay on one device, and are
  /// sent, and of slots of `shards` each device will have rows alone. Fails
  /// after an error.
  static mlir::FailureOr<Mirrors> make(mlir::ModuleOp module,
                                       const TowerLayout &layout,
                                       const UpdateShards &shards);

  bool isMirrored(mlir::FlatSymbolRefAttr variable) const {
    return names.count(variable.getAttr()) != 0;
  }

  /// Mirrored, and assigned the gradients whose mean is taken.
  bool isMirroredScratch(mlir::FlatSymbolRefAttr variable) const {
    auto found = names.find(variable.getAttr());
    return found != names.end() && found->second.isScratch;
  }

  /// The variable's copy of that number; 0 is the variable itself, and so are
  /// all of one that is not mirrored.
  mlir::FlatSymbolRefAttr copyOf(mlir::FlatSymbolRefAttr variable,
                                 unsigned copy) const {
    if (copy == 0)
      return variable;
    auto found = names.find(variable.getAttr());
    return found == names.end() ? variable : found->second.names[copy - 1];
  }

  /// Makes a read or an update one of the copies of that number.
  void redirect(mlir::Operation *op, unsigned copy) const;

  /// In a graph without towers: the copies follow what it assigns.
  void follow(tfir::GraphOp graph) const;

private:
  mlir::LogicalResult declare(tfir::VariableOp variable,
                              const TowerLayout &layout,
                              mlir::SymbolTable &symbols);

  struct Copies {
    mlir::Type type;
    bool isScratch = false;
    llvm::SmallVector<mlir::FlatSymbolRefAttr> names;
  };
  llvm::DenseMap<mlir::StringAttr, Copies> names; ///< by the variable's name
};

/// Adds the request of the layout for variables that are not mirrored to the
/// one of the variable itself.
void requestFor(tfir::VariableOp variable, const TowerLayout &layout);

/// Of a read or an update: state is where its variable is, so a scope around
/// the op that asks for a kind of device does not mean it.
void followVariable(mlir::Operation *op);

/// The variables that an op assigns, and then those that it reads.
llvm::SmallVector<mlir::FlatSymbolRefAttr> variablesOf(mlir::Operation *op);

/// True for the ops that assign variables.
bool isUpdate(mlir::Operation *op);

} // namespace graphc

#endif
