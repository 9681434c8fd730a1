// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups the ops of a graph into kernels.
#ifndef GRAPHC_LIB_LOWERING_KERNELGROUPS_H
#define GRAPHC_LIB_LOWERING_KERNELGROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace graphc {

/// True for ops that become part of a kernel; the others are state, constants
/// and views.
bool isKernelOp(mlir::Operation *op);

/// Ops that become one kernel, in the order of the graph.
struct KernelGroup {
  enum class Kind {
    Contraction, ///< a contraction and elementwise ops on its result
    Rows,        ///< parallel along the first dimension of all results
    Small        ///< so small that one thread does it all
  };
  Kind kind;
  llvm::SmallVector<mlir::Operation *> ops;
  /// The shape of the contraction's result, or of what the first op makes.
  llvm::SmallVector<int64_t> shape;
  int64_t elements = 0;         ///< computed by all ops together
  int64_t level = 0;            ///< transfers on the way to what its ops read
  mlir::IntegerAttr collective; ///< to which ops belong; null: none of them
  llvm::DenseSet<unsigned> inputs; ///< groups that this one reads from
  bool isFallback = false;         ///< its ops only serve an all_reduce
  bool isForSummary = false;       ///< its ops only serve summaries
  /// Turn of the device in a pipeline; none: its ops are of no micro-batch.
  std::optional<int64_t> slot;
};

/// Partitions the kernel ops of a block into groups, so that the groups can be
/// run one after the other: a group never reads, over other groups, from
/// itself.
///
/// Greedy, in the order of the graph: an op joins the group of one of its
/// operands where the kind of kernel allows it, a small one any small group
/// that others joined not long ago, else it starts a group; groups of one kind
/// that meet in an op are merged. A comparison with one user waits for the
/// user, as a mask costs less to compute than to keep.
///
/// Ops of one group have one level: as many transfers lie on the longest way
/// from the start of the step to each of them, or, for cheap ops, to their
/// users. So no group waits, over other programs, for itself. Nor is it a part
/// of two collectives, of which one would wait for the other. What serves an
/// all_reduce alone (tfir::isFallback) is apart from all else, and so is what
/// only summaries need (tfir::isForSummary). In a pipeline, ops of one group
/// have one turn (tfir::getSlot): a micro-batch would wait for another one.
class KernelGroups {
public:
  using OpSet = llvm::DenseSet<mlir::Operation *>;

  /// No group has more than `maxOps` ops; with 1, each op is a group. A
  /// contraction among `kept` is alone: a micro-kernel stores what it has made
  /// of its result, not the result itself.
  KernelGroups(mlir::Block &block, size_t maxOps, OpSet kept = {});

  /// Some may be empty: they were merged into others.
  llvm::ArrayRef<KernelGroup> groups() const { return all; }
  /// The group of an op; nothing for ops that belong to none.
  std::optional<unsigned> groupOf(mlir::Operation *op) const;

private:
  void findLevels(mlir::Block &block);
  bool isOfTurn(mlir::Operation *op, const KernelGroup &group) const;
  bool isDeferred(mlir::Operation *op) const;
  void place(mlir::Operation *op);
  bool canJoin(mlir::Operation *op, unsigned group,
               const llvm::DenseSet<unsigned> &producers) const;
  bool fits(mlir::Operation *op, const KernelGroup &group) const;
  bool dependsOn(unsigned group, unsigned on) const;
  void read(unsigned group, unsigned from);
  void raise(unsigned group);
  void addOpenGroups(const llvm::DenseSet<unsigned> &producers,
                     llvm::SmallVectorImpl<unsigned> &candidates);
  void collectProducers(mlir::Operation *op,
                        llvm::DenseSet<unsigned> &producers) const;
  void add(mlir::Operation *op, unsigned group);
  bool canMerge(unsigned from, unsigned into) const;
  bool isAlone(const KernelGroup &group) const;
  void merge(unsigned from, unsigned into);

  struct OpenGroup {
    unsigned group;
    unsigned misses = 0; ///< small ops since the last that joined it
  };

  size_t maxOps;
  OpSet kept;
  llvm::SmallVector<KernelGroup> all;
  /// Above those of all groups that a group reads from.
  llvm::SmallVector<int64_t> heights;
  llvm::SmallVector<llvm::DenseSet<unsigned>> readers; ///< inverse of inputs
  llvm::SmallVector<OpenGroup> open; ///< small groups that may take an op
  llvm::DenseMap<mlir::Operation *, unsigned> owner;
  llvm::DenseMap<mlir::Operation *, int64_t> levels; ///< those above 0
  llvm::DenseMap<mlir::Operation *, int64_t> slots;  ///< of a pipeline
};

} // namespace graphc

#endif
