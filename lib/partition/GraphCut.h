// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One graph on its way to one per device.
#ifndef GRAPHC_LIB_PARTITION_GRAPHCUT_H
#define GRAPHC_LIB_PARTITION_GRAPHCUT_H

#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"

#include "llvm/ADT/DenseMap.h"

namespace graphc {

/// Place of what nobody has placed.
inline runtime::DeviceName localCpu() { return {"localhost", 0, 0, "CPU", 0}; }

/// The replica of what towers share.
inline constexpr int64_t kShared = -1;

/// The number of an edge before all are known.
inline constexpr int64_t kOpen = 0;

/// True for ops that are copied to wherever they are used, and never sent.
inline bool isCopied(mlir::Operation *op) {
  return op && op->hasTrait<tfir::Rematerializable>();
}

/// One graph of the result.
struct Part {
  tfir::DeviceAttr device;
  int64_t replica = kShared;
  unsigned number = 0; ///< in the order of the module
  tfir::GraphOp graph;
  llvm::SmallVector<mlir::Attribute> feedNames, fetchNames, fetchTypes;
  llvm::SmallVector<int64_t> feedOrder, fetchOrder;
  llvm::SmallVector<mlir::Location> feedLocs;
  llvm::SmallVector<mlir::Type> feedTypes;
  llvm::SmallVector<mlir::Value> fetches;
  mlir::Operation *lastFeedSend = nullptr; ///< the next one goes behind it
};

/// The division of one graph, done by run().
class GraphCut {
public:
  GraphCut(tfir::GraphOp graph, bool byReplica,
           llvm::ArrayRef<tfir::DeviceAttr> devices, mlir::SymbolTable &symbols)
      : graph(graph), byReplica(byReplica), devices(devices), symbols(symbols),
        b(graph.getContext()) {}

  mlir::LogicalResult run();

private:
  // AssignPartitions.cpp
  mlir::FailureOr<unsigned> partFor(tfir::DeviceAttr device, int64_t replica,
                                    mlir::Location loc);
  mlir::LogicalResult assignOp(mlir::Operation *op);
  mlir::LogicalResult assignFeeds();
  mlir::LogicalResult assignRest();
  mlir::FailureOr<unsigned> partOfFeed(mlir::BlockArgument feed,
                                       tfir::DeviceAttr wanted);
  void numberParts();

  // Transfers.cpp
  unsigned homeOf(mlir::Value value) const;
  std::string nameOf(mlir::Value value);
  mlir::Value localIn(mlir::Value value, unsigned part, mlir::Operation *user);
  mlir::Value transfer(mlir::Value value, unsigned from, unsigned to,
                       mlir::Operation *maker, mlir::Operation *user);
  void markFallbacks();
  void numberEdges();

  std::string symbolOf(const Part &part, bool tasksDiffer);
  void setAttributes(Part &part);
  void strip(mlir::Operation *op);
  void keepWhole();
  void divide();
  void addFeeds();
  bool isOwnBatch(mlir::Operation *op) const {
    return byReplica && mlir::isa<tfir::NextOp>(op) &&
           op->hasAttr(tfir::kReplicaAttr);
  }
  void moveOp(mlir::Operation *op);
  void addFetches();

  tfir::GraphOp graph;
  bool byReplica;
  llvm::ArrayRef<tfir::DeviceAttr> devices; ///< that get a part in any case
  mlir::SymbolTable &symbols;
  mlir::OpBuilder b;
  std::vector<Part> parts;           ///< in the order in which they are met
  llvm::SmallVector<unsigned> order; ///< the same by device
  llvm::DenseMap<std::pair<mlir::Attribute, int64_t>, unsigned> known;
  llvm::DenseMap<mlir::Operation *, unsigned> partOf;
  llvm::SmallVector<unsigned> feedParts;
  llvm::SmallVector<mlir::Value> feeds; ///< arguments of the partitions
  llvm::DenseMap<mlir::Operation *, int64_t> levels; ///< those above 0
  /// Value that an identity stands for.
  llvm::DenseMap<mlir::Value, mlir::Value> forwarded;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> locals;
  llvm::DenseMap<mlir::Value, mlir::Operation *> lastSend;
  llvm::SmallVector<mlir::Operation *> identities;
  struct Edge {
    tfir::SendOp send;
    tfir::RecvOp recv;
    std::string name; ///< of the value
    unsigned later;   ///< number of the second of the two parts
  };
  std::vector<Edge> edges;
};

} // namespace graphc

#endif
