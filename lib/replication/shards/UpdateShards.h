// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables whose updates, and the slots of whose optimizers, are divided among
// the devices with towers.
#ifndef GRAPHC_LIB_REPLICATION_SHARDS_UPDATESHARDS_H
#define GRAPHC_LIB_REPLICATION_SHARDS_UPDATESHARDS_H

#include "lib/replication/TowerLayout.h"
#include "lib/replication/shards/UpdateShard.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <string>

namespace graphc {

class Mirrors;

/// Decides by the module before towers are made. Thread-safety: immutable once
/// declared.
class UpdateShards {
public:
  /// Divides nothing.
  UpdateShards() = default;
  /// Decides about each variable that a graph with towers trains, if the layout
  /// asks for it.
  UpdateShards(mlir::ModuleOp module, const TowerLayout &layout);

  /// The shards of a variable whose updates are divided; empty for others.
  llvm::ArrayRef<UpdateShard> of(mlir::FlatSymbolRefAttr variable) const;
  /// A slot of such a variable, of which each device has its rows alone.
  bool isSlot(mlir::StringAttr variable) const {
    return slots.count(variable) != 0;
  }

  /// Replaces the slots by their shards, `w/Momentum/part_0` and so on, each on
  /// its device; and declares, as scratch, `w/shard_0` and so on, which have
  /// the rows of the variable while they are updated. Fails after an error
  /// where a name is taken.
  mlir::LogicalResult declare(mlir::ModuleOp module, const TowerLayout &layout,
                              const Mirrors &mirrors);
  /// The variable that has the rows of a shard while they are updated.
  mlir::FlatSymbolRefAttr rowsOf(mlir::FlatSymbolRefAttr variable,
                                 size_t shard) const;
  /// The shard of a slot; of another variable, a power that all share, its copy
  /// on the device.
  mlir::FlatSymbolRefAttr slotOf(mlir::FlatSymbolRefAttr slot, size_t shard,
                                 unsigned device, const Mirrors &mirrors) const;

  /// Lists what was divided and why other variables were not, in lines that end in
  /// newlines; empty where nothing is trained.
  std::string describe() const;

private:
  struct Trained {
    tfir::VariableOp variable;
    llvm::SmallVector<tfir::VariableOp> slots;
    llvm::SmallVector<UpdateShard> shards;           ///< none: it stays whole
    llvm::SmallVector<mlir::FlatSymbolRefAttr> rows; ///< of each shard
    std::string reason;                              ///< why it stays whole
  };
  using Names = llvm::SmallVector<mlir::FlatSymbolRefAttr>;

  void findTrained(mlir::ModuleOp module, const mlir::SymbolTable &symbols);
  void findOtherUses(mlir::ModuleOp module);
  void divide(Trained &trained);
  mlir::LogicalResult declare(Trained &trained, mlir::SymbolTable &symbols,
                              const TowerLayout &layout,
                              const Mirrors &mirrors);

  size_t devices = 0;
  llvm::MapVector<mlir::StringAttr, Trained> all; ///< by the variable's name
  llvm::DenseMap<mlir::StringAttr, mlir::StringAttr> owners; ///< of slots
  llvm::DenseMap<mlir::StringAttr, Names> slots; ///< shards of each slot
  llvm::SmallVector<int64_t> bytes;              ///< of slots, by device
  int64_t wholeBytes = 0;                        ///< of the divided slots
};

} // namespace graphc

#endif
