// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and means over towers: at one place, or on every device.
#ifndef GRAPHC_LIB_REPLICATION_TOWERSUMS_H
#define GRAPHC_LIB_REPLICATION_TOWERSUMS_H

#include "lib/replication/PlacedOps.h"
#include "lib/replication/shards/UpdateShard.h"

namespace graphc {

/// Adds in the order of a binary tree that follows from the number of towers
/// alone: ((0 + 1) + (2 + 3)) + .... What lies on one device is added there.
/// Rings alone add in another order, unless the layout is canonical.
class TowerSums {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Ops are made by `builder`, to which `ops` listens, for one graph.
  TowerSums(mlir::OpBuilder &builder, PlacedOps &ops, const TowerLayout &layout,
            int64_t towers)
      : builder(builder), ops(ops), layout(layout), towers(towers) {}

  /// One sum, or mean, of the values of all towers.
  mlir::Value reduceTo(PlacementTarget target, mlir::Location loc,
                       llvm::ArrayRef<mlir::Value> values, bool isMean);

  /// The sums, or means, of some values of all towers, on every device.
  /// `parts` has one entry per value, with that value in each tower; so has the
  /// result, with that value on each device. They travel as one.
  llvm::SmallVector<Values> allReduce(Reduce how, mlir::Location loc,
                                      llvm::ArrayRef<Values> parts,
                                      bool isMean);

  /// The sums, or means, of some values of all towers, each shard on its device
  /// alone. `parts` are as of allReduce; the result has an entry per value,
  /// with its shards in their order. They travel as one.
  llvm::SmallVector<Values>
  reduceScatter(Reduce how, mlir::Location loc, llvm::ArrayRef<Values> parts,
                llvm::ArrayRef<llvm::ArrayRef<UpdateShard>> shards,
                bool isMean);

  /// Some values, of these types, whole on every device. `parts` has an entry
  /// per value, with its shards, each on its device; the result has one per
  /// value, with that value on each device. They travel as one.
  llvm::SmallVector<Values>
  allGather(Reduce how, mlir::Location loc,
            llvm::ArrayRef<mlir::RankedTensorType> types,
            llvm::ArrayRef<Values> parts,
            llvm::ArrayRef<llvm::ArrayRef<UpdateShard>> shards);

private:
  /// A partial sum and the device where it is; kNowhere when it is nowhere in
  /// particular.
  struct Term {
    mlir::Value value;
    unsigned device;
  };
  static constexpr unsigned kNowhere = ~0u;

  Term sum(mlir::Location loc, llvm::SmallVector<Term> terms,
           llvm::function_ref<unsigned(unsigned, unsigned)> placeOf,
           PlacementTarget elsewhere);
  Term sumOnDevices(mlir::Location loc, llvm::SmallVector<Term> terms,
                    llvm::function_ref<unsigned(unsigned, unsigned)> placeOf);
  llvm::SmallVector<Term> termsOf(llvm::ArrayRef<mlir::Value> values) const;
  llvm::SmallVector<Term> addNeighbours(mlir::Location loc,
                                        llvm::ArrayRef<Term> terms);
  llvm::SmallVector<Term> pack(mlir::Location loc, llvm::ArrayRef<Values> parts,
                               bool isFlat);
  llvm::SmallVector<Values> unpack(mlir::Location loc,
                                   llvm::ArrayRef<Values> parts,
                                   llvm::ArrayRef<mlir::Value> whole);
  Term enter(mlir::Location loc, Term term);
  Values tree(mlir::Location loc, llvm::ArrayRef<Term> terms, bool isMean);
  bool canExchange(llvm::ArrayRef<Term> terms) const;
  Values exchange(mlir::Location loc, llvm::ArrayRef<Term> terms, bool isMean);
  bool canUseLibrary(llvm::ArrayRef<Values> parts) const;
  Values onDevices(mlir::Location loc, llvm::ArrayRef<Term> terms,
                   std::optional<Reduce> ring, bool isMean);
  Values offer(mlir::Location loc, llvm::ArrayRef<Term> terms,
               std::optional<Reduce> ring);
  using Chunks = llvm::SmallVector<llvm::SmallVector<Term>>;
  /// True where rings are within the tasks and between them.
  bool isTwoLevel(Reduce how) const {
    return how == Reduce::Hierarchical && layout.devicesPerTask() > 0;
  }
  Values ring(mlir::Location loc, llvm::ArrayRef<Term> terms, bool isMean,
              bool isTwoLevel);
  mlir::Value joinPieces(mlir::Location loc,
                         llvm::ArrayRef<mlir::Value> pieces);
  mlir::Value pieceOf(mlir::Location loc, mlir::Value joined,
                      mlir::RankedTensorType type, int64_t begin);
  Chunks cut(mlir::Location loc, llvm::ArrayRef<Term> terms,
             llvm::ArrayRef<int64_t> sizes);
  unsigned meeting(bool isTwoLevel, unsigned owner, unsigned x,
                   unsigned y) const;
  Values scatter(mlir::Location loc,
                 llvm::ArrayRef<llvm::SmallVector<Term>> chunks,
                 bool isTwoLevel);
  Values scatterDirectly(mlir::Location loc,
                         llvm::ArrayRef<llvm::SmallVector<Term>> chunks,
                         bool isTwoLevel);
  void addAround(mlir::Location loc, unsigned size,
                 llvm::MutableArrayRef<Term> sums,
                 llvm::function_ref<unsigned(size_t)> placeOf,
                 llvm::function_ref<Term(size_t, unsigned)> at);
  llvm::SmallVector<Values>
  gather(mlir::Location loc, llvm::ArrayRef<mlir::Value> own, bool isTwoLevel);
  void copyAround(mlir::Location loc, unsigned size,
                  llvm::MutableArrayRef<Values> copies,
                  llvm::function_ref<unsigned(size_t)> placeOf,
                  llvm::function_ref<unsigned(size_t, unsigned)> deviceOf);
  void spread(mlir::Location loc, Values &values, size_t begin, size_t end);
  mlir::Value scale(mlir::Location loc, mlir::Value value);
  void scaleAll(mlir::Location loc, llvm::MutableArrayRef<Values> parts);
  mlir::Value flatten(mlir::Location loc, mlir::Value value);
  mlir::Value slice(mlir::Location loc, mlir::Value value, int64_t begin,
                    int64_t size);
  mlir::Value join(mlir::Location loc, llvm::ArrayRef<mlir::Value> parts);
  void moveTo(unsigned device) {
    ops.moveTo({layout.devices[device].name, {}});
  }

  mlir::OpBuilder &builder;
  PlacedOps &ops;
  const TowerLayout &layout;
  int64_t towers;
  int64_t collectives = 0; ///< so far
  /// True when new ops are left out where there is a library.
  bool isFallback = false;
};

} // namespace graphc

#endif
